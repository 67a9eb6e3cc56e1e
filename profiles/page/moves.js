// Where the picture looks: gliding from row to row, scrolling, following the window's size.

const GLIDE_MS = 220;
const calm = matchMedia("(prefers-reduced-motion: reduce)");
let flight = 0;

/** The stretch of the whole that a row covers. */
function stretchOf(row) {
  const { left, total } = shownLayout();
  return [left[row], left[row] + (total[row] || 1)];
}

/** Look at a row at once. */
function jump(row) {
  flight++;
  state.moving = false;
  [view.from, view.to] = stretchOf(row);
  redraw();
}

/** Move the view to a row within a quarter of a second. */
function glide(row) {
  reveal(row);
  if (calm.matches) return jump(row);
  const mine = ++flight;
  const [from, to] = [view.from, view.to], [goal, end] = stretchOf(row);
  const began = performance.now();
  state.moving = true;
  const step = (now) => {
    if (mine !== flight) return;
    const part = Math.min(1, Math.max(0, (now - began) / GLIDE_MS));
    const eased = 1 - (1 - part) ** 3;
    view.from = from + (goal - from) * eased;
    view.to = to + (end - to) * eased;
    state.moving = part < 1;
    draw();
    if (part < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

/** Scroll as far as it takes to see the level of a row. */
function reveal(row) {
  const y = depthOf[row] * levelHeight;
  if (y < stage.scrollTop) stage.scrollTop = y;
  else if (y + 2 * levelHeight > stage.scrollTop + view.height) stage.scrollTop = y + 2 * levelHeight - view.height;
}

/** Zoom around a place of the canvas, as the wheel does with ctrl held. */
function stretch(x, factor) {
  const { total } = shownLayout();
  const middle = view.from + (x * (view.to - view.from)) / view.width;
  look(middle - (middle - view.from) * factor, middle + (view.to - middle) * factor, total[0]);
}

/** Move the view along the whole by pixels. */
function shift(pixels) {
  const { total } = shownLayout();
  const by = (pixels * (view.to - view.from)) / view.width;
  const within = Math.max(-view.from, Math.min(total[0] - view.to, by));
  look(view.from + within, view.to + within, total[0]);
}

function look(from, to, whole) {
  flight++;
  state.moving = false;
  const least = whole / 1e6;
  if (to - from < least) return;
  [view.from, view.to] = [Math.max(0, from), Math.min(whole, to)];
  redraw();
}

/** Take over the size of the window and the density of the screen. */
function resize() {
  view.width = stage.clientWidth;
  view.height = stage.clientHeight;
  view.scale = devicePixelRatio || 1;
  levelHeight = Math.max(LOWEST, Math.min(HIGHEST, Math.floor(view.height / (deepest + 2))));
  canvas.width = Math.round(view.width * view.scale);
  canvas.height = Math.round(view.height * view.scale);
  canvas.style.width = `${view.width}px`;
  canvas.style.height = `${view.height}px`;
  find("#depth").style.height = `${Math.max(0, (deepest + 2) * levelHeight - view.height)}px`;
  draw();
}
