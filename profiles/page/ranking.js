// The panel's lower half: which frames weigh most themselves, or which kinds of segment do.

const LISTED = 100;

/** What a row counts in the list: its own weight, or how much that changed. */
function listed(row) {
  const { own, before, after } = shownLayout();
  return comparing ? after[row] - before[row] : own[row];
}

const heavier = (a, b) => Math.abs(b.value) - Math.abs(a.value);

/** The rows of the zoomed part that match the search, if there is one. */
function rowsInSight() {
  const rows = [];
  const waiting = [state.zoomed];
  while (waiting.length) {
    const row = waiting.pop();
    if (row) rows.push(row);
    waiting.push(...childrenOf[row]);
  }
  if (!state.matches) return rows;
  const found = new Set(state.matches);
  return rows.filter((row) => found.has(row));
}

function topFrames(rows) {
  return rows.filter((row) => !isFold(row) && listed(row)).map((row) => ({
    row, value: listed(row), label: labelOf(row), go: () => (focus(row), zoom(roomFor(row))),
  }));
}

function topKinds(rows) {
  const kinds = new Map();
  for (const row of rows) {
    const name = kindName(kindOf(row)) || "(folded)";
    const kind = kinds.get(name) ?? { row, value: 0, label: name, go: () => seek(name) };
    kind.value += listed(row);
    kinds.set(name, kind);
  }
  return [...kinds.values()].filter(({ value }) => value);
}

function entry({ row, value, label, go }, most) {
  const { total } = shownLayout();
  const said = comparing ? [change(value, state.weight)] : [amount(value, state.weight), make("small", {}, share(value, total[0]))];
  return make("li", {}, make("button", { onclick: go, title: label, "aria-current": String(row === state.focused) },
    swatch(row), make("span", { class: "label" }, label), make("span", { class: "value" }, ...said),
    make("span", { class: "length" }, make("i", { spans: `${(100 * Math.abs(value)) / most}%`, tint: fillOf(row) }))));
}

listeners.push(() => {
  const rows = rowsInSight();
  const top = (state.ranking === "frames" ? topFrames(rows) : topKinds(rows)).sort(heavier).slice(0, LISTED);
  const most = top.length ? Math.abs(top[0].value) : 1;
  find("#ranking h2").textContent = `${comparing ? "By change" : "By own weight"}${state.zoomed ? ", in view" : ""}`;
  find("#list").replaceChildren(...top.map((item) => entry(item, most)));
  choice("#ranking .group", { frames: "Frames", kinds: "Kinds" }, state.ranking, (value) => {
    state.ranking = value;
    changed();
  });
});
