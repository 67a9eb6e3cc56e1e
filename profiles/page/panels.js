// The rest: weights, what changed, the way to the zoomed row, legend, totals.

const before = (weight) => layoutOf(weight).allBefore[0];
const after = (weight) => layoutOf(weight).allAfter[0];

listeners.push(() => {
  find("#weights").replaceChildren(...page.weights.map(({ label }, weight) => {
    const whole = comparing ? after(weight) : layoutOf(weight).total[0];
    const by = comparing ? after(weight) - before(weight) : 0;
    return make("button", {
      role: "radio", "aria-checked": String(weight === state.weight), class: whole || by ? "" : "empty",
      onclick: () => weigh(weight), title: `${grouped(whole)} ${label}`,
    },
      make("span", { class: "name" }, label), make("span", { class: "value" }, amount(whole, weight)),
      by ? make("span", { class: `change ${by > 0 ? "grew" : "shrank"}` }, signed(by, weight)) : null,
      weight < 9 ? make("kbd", {}, weight + 1) : null);
  }));
});

/** What stayed, what came and what left: parts of what both sides hold together. */
function balanceParts() {
  const whole = shownLayout().total[0], from = before(state.weight), to = after(state.weight);
  const { even, swing } = THEMES[state.theme];
  const [kept, more, less] = holdsTokens() ? ["retained", "inserted", "evicted"] : ["in both", "more", "less"];
  return [[kept, from + to - whole, "", even], [more, whole - from, "+", [...swing, GREW]], [less, whole - to, "−", [...swing, SHRANK]]];
}

const holdsTokens = () => page.weights[state.weight].name === "tokens";

listeners.push(() => {
  find("#balance").hidden = !comparing;
  if (!comparing) return;
  const { total } = shownLayout();
  const parts = balanceParts();
  const said = parts.map(([name, value, sign, colour]) => make("li", {}, make("i", { class: "swatch", tint: css(colour) }), ` ${name} `,
    make("b", {}, (value ? sign : "") + amount(value, state.weight)), ` ${share(value, total[0])}`));
  if (page.returned !== null && holdsTokens())
    said.push(make("li", {}, "of what was inserted, ", make("b", {}, amount(page.returned, state.weight)), " had been evicted before"));
  find("#balance").replaceChildren(
    make("div", { class: "track", "aria-hidden": "true" },
      ...parts.map(([, value, , colour]) => make("i", { tint: css(colour), spans: `${total[0] ? (100 * value) / total[0] : 0}%` }))),
    make("ul", {}, ...said));
});

listeners.push(() => {
  const { total } = shownLayout();
  const path = pathOf(state.zoomed);
  const items = path.map((row) => make("li", {}, make("button", { onclick: () => zoom(row), title: labelOf(row) }, labelOf(row))));
  if (state.zoomed) items.at(-1).append(make("span", {}, share(total[state.zoomed], total[0])));
  find("#crumbs").replaceChildren(...items);
});

/** A swatch as the picture shows what is hatched, dotted, or pale and dashed. */
function sample(colour, pattern, pale) {
  const box = make("canvas", { width: 14 * view.scale, height: 14 * view.scale });
  box.style.width = box.style.height = "14px";
  const brush = box.getContext("2d");
  brush.scale(view.scale, view.scale);
  brush.globalAlpha = pale ? THEMES[state.theme].gone : 1;
  brush.fillStyle = colour;
  brush.fillRect(0, 0, 14, 14);
  brush.globalAlpha = 1;
  if (pattern) {
    brush.fillStyle = pattern(THEMES[state.theme].hatch);
    brush.fillRect(0, 0, 14, 14);
  }
  if (pale) {
    brush.strokeStyle = THEMES[state.theme].ink;
    brush.setLineDash([2, 2]);
    brush.strokeRect(0.5, 0.5, 13, 13);
  }
  return box;
}

const ramp = (stops) => {
  const bar = make("i", { class: "ramp" });
  bar.style.background = `linear-gradient(to right, ${stops.join()})`;
  return bar;
};
const item = (...parts) => make("li", {}, ...parts);

/** Kinds by what they weigh themselves; a click searches for one. */
function kindItems() {
  const { own, total } = shownLayout();
  const sums = new Map();
  for (let row = 1; row < ROWS; row++) {
    if (kindOf(row) === -1 || !own[row]) continue;
    const kind = sums.get(kindOf(row)) ?? { row, sum: 0 };
    kind.sum += own[row];
    sums.set(kindOf(row), kind);
  }
  return [...sums].sort(([a], [b]) => Math.abs(a) - Math.abs(b)).slice(0, 9).map(([kind, { sum }]) => item(make("button",
    { onclick: () => seek(kindName(kind)), title: "Search" },
    make("i", { class: "swatch", tint: css(kindColour(kind, THEMES[state.theme])) }),
    `${kindName(kind)} ${share(sum, total[0])}`)));
}

function colourItems() {
  const theme = THEMES[state.theme];
  if (state.colours === "kind") return kindItems();
  if (state.colours === "depth") return [item("shallow", ramp([0, 0.5, 1].map((part) => css(depthColour(part, theme)))), "deep")];
  if (state.colours === "state") return [item(make("i", { class: "swatch", tint: css(residentColour(theme)) }), "resident")];
  return [item("− shrank", ramp([-1, -0.5, -0.05, 0, 0.05, 0.5, 1].map((swing) => css(changeColour(swing, theme)))), "grew +")];
}

listeners.push(() => {
  const theme = THEMES[state.theme];
  const { total } = shownLayout();
  const states = new Set(page.state.filter((_, place) => total[place + 1]));
  const grey = css([theme.base, ...theme.grey.slice(1)]);
  const items = colourItems();
  const lacking = state.colours === "state" ? css(tombstoneColour(theme)) : grey;
  if (!comparing) {
    page.lost.forEach((lost, place) => states.has(TOMBSTONE + place)
      && items.push(item(sample(lacking, hatch), `tombstone: ${lost} gone`)));
    if (states.has(GONE)) items.push(item(sample(grey, null, true), "no longer in the cache"));
  } else items.push(item(sample(css([...theme.swing, SHRANK]), null, true), "nothing left"));
  if (states.has(SPACE)) items.push(item(make("i", { class: "swatch", tint: css(theme.space) }), "namespace"));
  if (states.has(FOLD)) items.push(item(sample(grey, dots), "small ones together"));
  find("#legend").replaceChildren(...items);
});

listeners.push(() => {
  const { total } = shownLayout();
  find("#totals").textContent = `${amount(total[0], state.weight)} ${weightName(state.weight)}${comparing ? " on either side" : ""}`;
});
