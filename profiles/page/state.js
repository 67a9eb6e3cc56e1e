// What the page shows now. Whoever changes it calls `changed`.

const state = {
  weight: page.chosen,
  zoomed: 0, // the row that fills the width
  focused: 0, // the row that the panel tells of
  hovered: -1,
  colours: comparing ? "change" : "kind",
  theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
  query: "",
  regex: false,
  matches: null, // rows, or null without a search
  current: -1, // the place in `matches`
  share: 0, // of the whole that the matches and what is below them hold
  ranking: "frames",
  moving: false,
};
const trail = []; // the rows that were zoomed before
const listeners = [];
const find = (selector) => document.querySelector(selector);

/** Tell every part of the page that the state is another one. */
function changed() {
  fills = [];
  for (const listener of listeners) listener();
  redraw();
}

/** Make a row fill the width; `keep` leaves the way back as it is. */
function zoom(row, keep = false) {
  if (row !== state.zoomed && !keep) trail.push(state.zoomed);
  state.zoomed = row;
  glide(row);
  changed();
}

/** Tell of a row, and bring it into view. */
function focus(row) {
  state.focused = row;
  reveal(row);
  find("#spoken").textContent = spoken(row);
  changed();
}

/** Go to another weight; where the zoomed row has none of it, to the whole. */
function weigh(weight) {
  if (weight < 0 || weight >= page.weights.length) return;
  state.weight = weight;
  const { total } = layoutOf(weight);
  while (state.zoomed && !total[state.zoomed]) state.zoomed = parentOf[state.zoomed];
  jump(state.zoomed);
  search();
}

function recolour(colours) {
  state.colours = colours;
  changed();
}

function retheme(theme) {
  state.theme = theme;
  document.documentElement.dataset.theme = theme;
  changed();
}

/** The next item of a list behind `item`, round and round. */
const following = (list, item) => list[(list.indexOf(item) + 1) % list.length];
