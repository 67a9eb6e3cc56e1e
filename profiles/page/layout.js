// Widths: for each weight what a row and all below it weigh, and where it lies, the heaviest sibling on the left.

/** The own values of a weight with a place for the whole, which has none of its own. */
const column = (values) => Float64Array.from({ length: ROWS }, (_, row) => (row ? values[row - 1] : 0));

/** What each row weighs with everything below it. */
function summed(own) {
  const total = Float64Array.from(own);
  for (let row = ROWS - 1; row > 0; row--) total[parentOf[row]] += total[row];
  return total;
}

/** The heaviest first, folds last; equal ones by name, so that the order is always the same. */
const heaviestFirst = (total) => (a, b) =>
  isFold(a) - isFold(b) || total[b] - total[a] || (labelOf(a) < labelOf(b) ? -1 : 1);

/** Where each row lies along the whole, and the rows of each depth from left to right. */
function placed(total) {
  const left = new Float64Array(ROWS);
  const levels = Array.from({ length: deepest + 1 }, () => []);
  const waiting = [0];
  while (waiting.length) {
    const row = waiting.pop();
    levels[depthOf[row]].push(row);
    const below = childrenOf[row].filter((child) => total[child] > 0).sort(heaviestFirst(total));
    let at = left[row];
    for (const child of below) {
      left[child] = at;
      at += total[child];
    }
    waiting.push(...below.reverse());
  }
  return { left, levels };
}

const layouts = new Map();

/** The layout of a weight, made when it is first asked for. Widths of a comparison are those of the larger side. */
function layoutOf(weight) {
  if (!layouts.has(weight)) {
    const own = column(page.own[weight]);
    const total = summed(own);
    const sides = comparing && {
      before: column(page.before[weight]), after: column(page.after[weight]),
      allBefore: summed(column(page.before[weight])), allAfter: summed(column(page.after[weight])),
    };
    layouts.set(weight, { own, total, ...placed(total), ...sides });
  }
  return layouts.get(weight);
}

/** The layout of the weight that is shown. */
const shownLayout = () => layoutOf(state.weight);
