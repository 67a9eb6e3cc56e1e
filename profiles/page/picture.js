// Draws the frames that are in view.

const LOWEST = 23, HIGHEST = 34; // pixels from level to level: more where there is room
let levelHeight = LOWEST;
const PADDING = 6;
const stage = find("#stage");
const canvas = stage.querySelector("canvas");
const pen = canvas.getContext("2d");
const view = { from: 0, to: 1, top: 0, width: 0, height: 0, scale: 1 };
let waiting = 0;

/** Draw with the next picture of the screen, once. */
function redraw() {
  waiting ||= requestAnimationFrame(() => {
    waiting = 0;
    draw();
  });
}

const toPixel = (value) => ((value - view.from) * view.width) / (view.to - view.from);

/** The box of a row in pixels of the canvas, cut off at its edges. */
function boxOf(row, { left, total } = shownLayout()) {
  const x = Math.max(-2, toPixel(left[row]));
  const right = Math.min(view.width + 2, toPixel(left[row] + total[row]));
  return { x, y: depthOf[row] * levelHeight - view.top, width: right - x, height: levelHeight - 1.5 };
}

/** The first place of a level whose row reaches beyond a value. */
function firstBeyond(level, value) {
  const { left, total } = shownLayout();
  let low = 0, high = level.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (left[level[middle]] + total[level[middle]] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The row at a place of the canvas, or -1. */
function rowAt(x, y) {
  const { left, levels } = shownLayout();
  const level = levels[Math.floor((y + view.top) / levelHeight)];
  if (!level || x < 0 || x >= view.width) return -1;
  const value = view.from + (x * (view.to - view.from)) / view.width;
  const row = level[firstBeyond(level, value)];
  return row !== undefined && left[row] <= value ? row : -1;
}

function draw() {
  view.top = stage.scrollTop; // asked for once: it is slow
  const theme = THEMES[state.theme];
  const { levels } = shownLayout();
  pen.setTransform(view.scale, 0, 0, view.scale, 0, 0);
  pen.fillStyle = theme.paper;
  pen.fillRect(0, 0, view.width, view.height);
  pen.textBaseline = "middle";
  const first = Math.floor(view.top / levelHeight);
  const last = Math.min(levels.length - 1, Math.floor((view.top + view.height) / levelHeight));
  const found = state.matches && new Set(state.matches);
  const wide = [];
  for (let depth = first; depth <= last; depth++) drawLevel(levels[depth], found, wide);
  pen.globalAlpha = 1;
  drawWords(wide, found, theme);
  outline(state.focused, theme.mark, 2);
  if (state.hovered >= 0) outline(state.hovered, theme.ink, 1.5);
}

/** Draw the boxes of a level, and leave those that have room for words in `wide`. */
function drawLevel(level, found, wide) {
  const layout = shownLayout(), { left, total } = layout;
  let covered = -1;
  for (let place = firstBeyond(level, view.from); place < level.length; place++) {
    const row = level[place];
    if (left[row] >= view.to) break;
    const right = toPixel(left[row] + total[row]);
    if (right <= covered) continue; // others have drawn this pixel
    const box = boxOf(row, layout);
    drawBox(row, box, !found ? 1 : found.has(row) ? 1.8 : 0.22);
    covered = box.x + Math.max(box.width, 1);
    if (box.width > (comparing ? 20 : 30)) wide.push([row, box]);
  }
}

function drawBox(row, { x, y, width, height }, strength) {
  const gap = width > 4 ? 1 : width / 4;
  pen.globalAlpha = Math.min(1, (isPale(row) ? THEMES[state.theme].gone : 1) * strength);
  pen.fillStyle = fillOf(row);
  if (width < 9) {
    pen.fillRect(x, y, Math.max(width - gap, 0.7), height);
    return;
  }
  pen.beginPath();
  pen.roundRect(x, y, width - gap, height, 3);
  pen.fill();
  pattern(row);
  if (isPale(row) && width > 14) dashed(x, y, width - gap, height);
}

/** What is no longer there is pale; in a comparison, what the later side lacks. */
const isPale = (row) => (comparing ? isLost(row) : stateOf(row) === GONE);

function isLost(row) {
  const { own, after, total, allAfter } = shownLayout();
  return state.colours === "below" ? total[row] > 0 && !allAfter[row] : own[row] > 0 && !after[row];
}

/** Hatch tombstones and dot folds, over the box that was filled last. */
function pattern(row) {
  if (!isFold(row) && (!isTombstone(row) || comparing)) return;
  pen.fillStyle = (isFold(row) ? dots : hatch)(THEMES[state.theme].hatch);
  pen.fill();
}

function dashed(x, y, width, height) {
  pen.setLineDash([3, 3]);
  pen.lineWidth = 1;
  pen.strokeStyle = THEMES[state.theme].ink;
  pen.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
  pen.setLineDash([]);
}

function outline(row, colour, width) {
  const { left, total } = shownLayout();
  if (!row && row === state.focused) return;
  if (!total[row] || left[row] >= view.to || left[row] + total[row] <= view.from) return;
  const box = boxOf(row);
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.beginPath();
  pen.roundRect(box.x + width / 2, box.y + width / 2, Math.max(box.width - 1 - width, 1), box.height - width, 3);
  pen.stroke();
}

/** A pattern of one colour, made by `paint` on a tile of some pixels; made once. */
function tiled(size, paint) {
  const made = new Map();
  return (colour) => {
    const key = `${colour} ${view.scale}`;
    if (!made.has(key)) {
      const tile = new OffscreenCanvas(size * view.scale, size * view.scale);
      const brush = tile.getContext("2d");
      brush.scale(view.scale, view.scale);
      brush.fillStyle = brush.strokeStyle = colour;
      paint(brush, size);
      const tiles = pen.createPattern(tile, "repeat");
      tiles.setTransform(new DOMMatrix().scale(1 / view.scale));
      made.set(key, tiles);
    }
    return made.get(key);
  };
}

const hatch = tiled(7, (brush, size) => {
  brush.lineWidth = 2;
  brush.beginPath();
  for (const shift of [-size, 0, size]) {
    brush.moveTo(shift - 1, size + 1);
    brush.lineTo(shift + size + 1, -1);
  }
  brush.stroke();
});
const dots = tiled(5, (brush) => {
  brush.beginPath();
  brush.arc(2.5, 2.5, 0.9, 0, 7);
  brush.fill();
});
