// The frames of the page: columns by row number. Row 0 is the whole; parents come before what is below them.

const page = JSON.parse(document.getElementById("data").textContent);
const ROWS = page.depth.length + 1;
// States; from TOMBSTONE on, page.lost says of what.
const RESIDENT = 0, GONE = 1, SPACE = 2, FOLD = 3, OPERATION = 4, ELSEWHERE = 5, TOMBSTONE = 6;
const comparing = page.sides !== undefined;

const depthOf = new Int32Array(ROWS);
const parentOf = new Int32Array(ROWS).fill(-1);
const childrenOf = Array.from({ length: ROWS }, () => []);
{
  const path = [0];
  for (let row = 1; row < ROWS; row++) {
    const depth = page.depth[row - 1] + 1;
    depthOf[row] = depth;
    parentOf[row] = path[depth - 1];
    childrenOf[path[depth - 1]].push(row);
    path[depth] = row;
  }
}
const deepest = depthOf.reduce((most, depth) => Math.max(most, depth), 0);
const longest = page.end.reduce((most, end) => Math.max(most, end), 1);

const stateOf = (row) => (row ? page.state[row - 1] : SPACE);
const kindOf = (row) => (row ? page.kind[row - 1] : -1); // operations go from -2 down
const kindName = (kind) => page.kinds[kind] ?? page.operations[-2 - kind] ?? "";
const endOf = (row) => (row ? page.end[row - 1] : 0);
const startOf = (row) => (row ? endOf(parentOf[row]) : 0);
const hashOf = (row) => (row ? page.hash.slice(6 * row - 6, 6 * row).trim() : "");
const isFold = (row) => stateOf(row) === FOLD;
const isTombstone = (row) => stateOf(row) >= TOMBSTONE;

/** How many nodes a row and what is below it stand for. */
const nodesOf = (row) => (row ? page.nodes[row - 1] : childrenOf[0].reduce((sum, child) => sum + page.nodes[child - 1], 0));

/** The name of a row without its hash. */
function nameOf(row) {
  if (!row) return "all";
  return page.names[page.name[row - 1]] ?? `(+${count(nodesOf(row), "node")})`;
}

const labelOf = (row) => nameOf(row) + (hashOf(row) && ` ·${hashOf(row)}`);

/** The rows from the whole down to `row`, both included. */
function pathOf(row) {
  const path = [];
  for (; row >= 0; row = parentOf[row]) path.push(row);
  return path.reverse();
}

/** Whether `row` is `above` or below it. */
function isBelow(row, above) {
  while (depthOf[row] > depthOf[above]) row = parentOf[row];
  return row === above;
}

/** What is said of a row's content: where it is now. */
function stateText(row) {
  if (!row) return "";
  if (isTombstone(row)) return `tombstone: ${page.lost[stateOf(row) - TOMBSTONE]} gone`;
  return ["resident", "no longer in the cache", "namespace", "", "operation", ""][stateOf(row)];
}

/** The namespace of a row, or nothing for the plain one. */
function spaceOf(row) {
  const space = pathOf(row).find((above) => above && above !== row && stateOf(above) === SPACE);
  return space === undefined ? "" : nameOf(space);
}
