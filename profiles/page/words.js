// The words in the boxes: a name, then its hash and its share as far as there is room.

const FONT = "12px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const widths = new Map();

/** The width of a text in the font of the boxes, measured once. */
function widthOf(text) {
  if (!widths.has(text)) widths.set(text, pen.measureText(text).width);
  return widths.get(text);
}

/** As much of a text as fits, and its last number: what tells the documents of a row apart. */
function fitted(text, room) {
  if (widthOf(text) <= room) return text;
  const number = /\s\d+$/.exec(text)?.[0].trim() ?? "";
  const characters = [...text.slice(0, text.length - number.length)];
  const each = widthOf("m");
  let kept = Math.min(characters.length, Math.floor((room - each * (1 + number.length)) / each));
  const shortened = () => `${characters.slice(0, kept).join("").trimEnd()}…${number}`;
  while (kept >= 2 && widthOf(shortened()) > room) kept--;
  return kept >= 2 ? shortened() : "";
}

function drawWords(wide, found, theme) {
  pen.font = FONT;
  for (const [row, box] of wide) {
    const x = Math.max(box.x, 0) + PADDING;
    const right = Math.min(box.x + box.width, view.width) - PADDING - 1;
    pen.fillStyle = stateOf(row) === SPACE ? theme.spaceInk : theme.ink;
    pen.globalAlpha = found && !found.has(row) ? 0.35 : isPale(row) && !found ? 0.75 : 1;
    drawLine(row, x, right, box.y + box.height / 2 + 0.5);
  }
  pen.globalAlpha = 1;
}

function drawLine(row, x, right, y) {
  const sign = comparing && row ? signOf(row) : "";
  const name = nameOf(row);
  const shown = fitted(name, right - x - widthOf(sign));
  pen.fillText(sign + shown, x, y);
  x += widthOf(sign + shown);
  if (shown !== name) return;
  const alpha = pen.globalAlpha;
  pen.globalAlpha = alpha * 0.55;
  const hash = hashOf(row) && ` ·${hashOf(row)}`;
  if (hash && x + widthOf(hash) <= right) {
    pen.fillText(hash, x, y);
    x += widthOf(hash);
  }
  pen.globalAlpha = alpha * 0.8;
  const note = noteOf(row);
  const wide = widthOf(note);
  if (x + widthOf("mm") + wide <= right) pen.fillText(note, right - wide, y);
}

/** A sign for what grew or shrank, so that colour is not needed to see it. */
function signOf(row) {
  const swing = state.colours === "below" ? wholeSwing(row) : ownSwing(row);
  return swing > 0 ? "+ " : swing < 0 ? "− " : "";
}

/** What stands on the right of a box: the share of the whole, or the change. */
function noteOf(row) {
  const { total, allBefore, allAfter } = shownLayout();
  if (!comparing) return row ? share(total[row], total[0]) : amount(total[0], state.weight);
  const change = allAfter[row] - allBefore[row];
  return change ? signed(change, state.weight) : "=";
}
