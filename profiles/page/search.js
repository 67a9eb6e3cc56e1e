// The search: which rows match, how much they hold, and the way from one to the next.

const TOO_NARROW = 24;

/** Return the test of a query, or null for a regular expression that is none. */
function testOf(query, regex) {
  if (!regex) {
    const wanted = query.toLowerCase();
    return (text) => text.toLowerCase().includes(wanted);
  }
  try {
    const pattern = new RegExp(query, "iu");
    return (text) => pattern.test(text);
  } catch {
    return null;
  }
}

/** Search again, for another query or in another weight, and show what is found. */
function search() {
  const { query, regex, weight } = state;
  const test = query ? testOf(query, regex) : null;
  find("#query").setAttribute("aria-invalid", String(Boolean(query) && !test));
  state.current = -1;
  state.matches = test && layoutOf(weight).levels.flat().filter((row) => row && test(labelOf(row)));
  if (state.matches) state.matches.sort((a, b) => a - b);
  state.share = state.matches ? held(state.matches) : 0;
  changed();
}

/** What rows hold together, one below another counted once. */
function held(rows) {
  const { total } = shownLayout();
  const all = new Set(rows);
  const sum = rows.reduce((sum, row) => {
    const counted = pathOf(parentOf[row]).some((above) => all.has(above));
    return counted ? sum : sum + total[row];
  }, 0);
  return total[0] ? sum / total[0] : 0;
}

/** Go to another match, and zoom where it is out of sight. */
function step(by) {
  if (!state.matches?.length) return;
  const { length } = state.matches;
  state.current = state.current < 0 ? (by > 0 ? 0 : length - 1) : (state.current + by + length) % length;
  const row = state.matches[state.current];
  const box = boxOf(row);
  if (box.width < TOO_NARROW || !isBelow(row, state.zoomed)) zoom(roomFor(row));
  focus(row);
}

/** The highest row that shows `row` wide enough, or the row itself. */
function roomFor(row) {
  const { total } = shownLayout();
  return pathOf(row).find((above) => (view.width * total[row]) / total[above] >= TOO_NARROW) ?? row;
}

listeners.push(() => {
  const { query, matches, share: part, current } = state;
  const said = matches && `${current < 0 ? "" : `${current + 1} of `}${count(matches.length, "match", "matches")} · ${share(part, 1)}`;
  find("#found").textContent = said ?? (query ? "no expression" : "");
});
