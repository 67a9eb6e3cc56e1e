// Keys, the pointer, and the start.

const query = find("#query");

/** Search for a text, as if it had been typed. */
function seek(text) {
  query.value = state.query = text;
  state.regex = false;
  search();
}

/** Back to where the view was before; without that, to the whole. */
function back() {
  zoom(trail.pop() ?? 0, true);
}

function reset() {
  if (state.query) return seek("");
  trail.length = 0;
  zoom(0, true);
  focus(0);
}

/** Move the focus: to what follows, what it follows, or a sibling. */
function walk(key) {
  const { levels, total } = shownLayout();
  const level = levels[depthOf[state.focused]];
  const place = level.indexOf(state.focused);
  const to = {
    ArrowUp: parentOf[state.focused],
    ArrowDown: levels[depthOf[state.focused] + 1]?.find((row) => parentOf[row] === state.focused) ?? -1,
    ArrowLeft: level[place - 1] ?? -1,
    ArrowRight: level[place + 1] ?? -1,
  }[key];
  if (to < 0 || !total[to]) return;
  if (!isBelow(to, state.zoomed) && !isBelow(state.zoomed, to)) zoom(pathOf(to).findLast((row) => isBelow(state.zoomed, row)));
  focus(to);
}

const KEYS = [
  ["1 … 9", "weight", /^[1-9]$/, (key) => weigh(key - 1)],
  ["c", "next colours", /^c$/, () => recolour(following(Object.keys(modes), state.colours))],
  ["/ or ctrl+f", "search", /^\/$/, () => query.select()],
  ["n N", "next, previous match", /^[nN]$/, (key) => step(key === "n" ? 1 : -1)],
  ["r", "search by regular expression", /^r$/, () => find("#regex").click()],
  ["← ↑ ↓ →", "move", /^Arrow/, walk],
  ["enter", "zoom to the frame", /^Enter$/, () => zoom(state.focused)],
  ["backspace", "back", /^Backspace$/, back],
  ["esc", "end the search, then show everything", /^Escape$/, reset],
  ["y", "copy the frame as text", /^y$/, () => copy(state.focused)],
  ["p", "panel", /^p$/, () => find("#panel").click()],
  ["t", "dark or light", /^t$/, () => find("#theme").click()],
  ["?", "these keys", /^\?$/, () => find("#keys").click()],
];

addEventListener("keydown", (event) => {
  if (find("#help").open) return;
  if (event.ctrlKey || event.metaKey) {
    if (event.key === "f") query.select();
    else return;
  } else if (event.target === query) {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      seek("");
      stage.focus();
    } else return;
  } else {
    if (event.altKey || (/^(Enter| )$/.test(event.key) && event.target.tagName === "BUTTON")) return;
    const [, , , act] = KEYS.find(([, , pattern]) => pattern.test(event.key)) ?? [];
    if (!act) return;
    act(event.key);
  }
  event.preventDefault();
});

query.addEventListener("input", () => {
  state.query = query.value;
  search();
});
find("#regex").addEventListener("click", () => {
  state.regex = !state.regex;
  search();
});
find("#next").addEventListener("click", () => step(1));
find("#previous").addEventListener("click", () => step(-1));
find("#theme").addEventListener("click", () => retheme(state.theme === "dark" ? "light" : "dark"));
find("#keys").addEventListener("click", () => find("#help").showModal());
find("#panel").addEventListener("click", () => {
  find("#side").hidden = !find("#side").hidden;
  find("#panel").setAttribute("aria-pressed", String(!find("#side").hidden));
});

/** The row under the pointer. */
function under(event) {
  const box = canvas.getBoundingClientRect();
  return rowAt(event.clientX - box.left, event.clientY - box.top);
}

function hover(row, event) {
  showTip(row, event.clientX, event.clientY);
  if (row === state.hovered) return;
  state.hovered = row;
  stage.classList.toggle("over", row >= 0);
  redraw();
}

stage.addEventListener("pointermove", (event) => hover(under(event), event));
stage.addEventListener("pointerleave", (event) => hover(-1, event));
stage.addEventListener("click", (event) => {
  const row = under(event);
  if (row < 0) return;
  focus(row);
  if (isFold(row)) return;
  zoom(row);
});
stage.addEventListener("scroll", redraw);
stage.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.shiftKey) return;
  event.preventDefault();
  if (event.ctrlKey) stretch(event.clientX - canvas.getBoundingClientRect().left, 1.0025 ** event.deltaY);
  else shift(event.deltaY || event.deltaX);
}, { passive: false });
new ResizeObserver(resize).observe(stage);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => retheme(event.matches ? "dark" : "light"));

listeners.push(() => {
  find("#regex").setAttribute("aria-pressed", String(state.regex));
  choice("#colours", Object.fromEntries(Object.entries(modes).map(([value, { name }]) => [value, name])), state.colours, recolour);
});

find("#title").textContent = page.title;
find("#about").textContent = page.about.join(" · ");
find("#help dl").append(...KEYS.flatMap(([key, does]) => [make("dt", {}, key), make("dd", {}, does)]));
find("#help p").textContent = "A frame is a run of tokens; below it is what came after. It is as wide as it and all below it weigh. "
  + "A click zooms; so does the wheel with ctrl, and with shift it moves.";
document.documentElement.dataset.theme = state.theme;
jump(0);
resize();
changed();

/** For tests and the curious: what is shown, what a row is called and where it is. */
window.radixtop = {
  state, rows: ROWS, label: labelOf, draw, weigh, totals: () => page.weights.map((_, weight) => layoutOf(weight).total[0]),
  place(row) {
    draw();
    const box = boxOf(row), at = canvas.getBoundingClientRect();
    return { x: at.left + box.x, y: at.top + box.y, width: box.width, height: box.height };
  },
};
