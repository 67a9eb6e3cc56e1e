// Colours of frames. Hues differ in lightness as well, and signs and patterns say again what colours say, for every
// kind of colour vision.

/** A colour of OKLCH (Björn Ottosson, 2020) as CSS: equal steps of lightness look equal. */
function oklch(lightness, chroma, hue) {
  const a = chroma * Math.cos((hue * Math.PI) / 180), b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  const parts = linear.map((part) => {
    const x = Math.min(1, Math.max(0, part));
    return Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
  });
  return `rgb(${parts})`;
}

/** Hue, chroma and a step of lightness per kind of segment, in the order of their use. */
const KINDS = [
  [255, 0.105, 0], [72, 0.12, 0.055], [172, 0.095, 0.02], [350, 0.105, 0.01],
  [300, 0.105, -0.03], [125, 0.12, 0.04], [215, 0.085, 0.05], [35, 0.125, -0.005],
];
const THEMES = {
  light: { base: 0.8, ink: "#17202b", paper: "#ffffff", grey: [0.885, 0.006, 255], space: [0.42, 0.035, 258], spaceInk: "#ffffff", gone: 0.38, mark: "#2563c9", hatch: "#17202b38", even: [0.9, 0.008, 255], swing: [0.74, 0.145] },
  dark: { base: 0.545, ink: "#f3f6fa", paper: "#11161e", grey: [0.34, 0.012, 255], space: [0.4, 0.045, 258], spaceInk: "#f3f6fa", gone: 0.36, mark: "#9cc2ff", hatch: "#0b0f1566", even: [0.38, 0.012, 255], swing: [0.56, 0.15] },
};
const GREW = 42, SHRANK = 252;

/** The colour of a kind; those that there is no hue for are grey. */
function kindColour(kind, theme, shade = 2) {
  const [hue, chroma, step] = KINDS[kind < -1 ? -2 - kind : kind] ?? [];
  return hue === undefined ? theme.grey : [theme.base + step + (shade - 2) * 0.011, chroma, hue];
}

/** The colour at a part of the way down. */
const depthColour = (part, theme) => [theme.base + 0.1 - 0.19 * part, 0.06 + 0.07 * part, 205 + 95 * part];
const residentColour = (theme, shade = 2) => [theme.base, 0.095, 200 + 4 * shade];
const tombstoneColour = (theme) => [theme.base + 0.05, 0.125, 72];

/** The shade of a row: a little lighter or darker by its content, so that neighbours part. */
const shadeOf = (row) => (parseInt(hashOf(row).slice(0, 2), 16) || 0) % 5;

const MODES = {
  kind: { name: "Segments", colour: (row, theme) => kindColour(kindOf(row), theme, shadeOf(row)) },
  state: {
    name: "State",
    colour: (row, theme) => {
      if (stateOf(row) === GONE) return theme.grey;
      return isTombstone(row) ? tombstoneColour(theme) : residentColour(theme, shadeOf(row));
    },
  },
  depth: { name: "Depth", colour: (row, theme) => depthColour((depthOf[row] - 1) / Math.max(deepest - 1, 1), theme) },
};
const CHANGES = {
  change: { name: "Change", colour: (row, theme) => changeColour(ownSwing(row), theme) },
  below: { name: "With all below", colour: (row, theme) => changeColour(wholeSwing(row), theme) },
  kind: MODES.kind,
};
const modes = comparing ? CHANGES : MODES;

/** How a row changed, from -1 for all gone to 1 for all new. */
function ownSwing(row) {
  const { own, before, after } = shownLayout();
  return own[row] ? (after[row] - before[row]) / own[row] : 0;
}
function wholeSwing(row) {
  const { total, allBefore, allAfter } = shownLayout();
  return total[row] ? (allAfter[row] - allBefore[row]) / total[row] : 0;
}

function changeColour(swing, theme) {
  if (!swing) return theme.even;
  const part = 0.3 + 0.7 * Math.abs(swing);
  const [lightness, chroma] = theme.swing.map((to, at) => theme.even[at] + (to - theme.even[at]) * part);
  return [lightness, chroma, swing > 0 ? GREW : SHRANK];
}

const mixed = new Map();
let fills = []; // by row, until the state changes

/** The fill of a row under the colours that are chosen. */
const fillOf = (row) => (fills[row] ??= css(colourOf(row, THEMES[state.theme])));

function colourOf(row, theme) {
  if (stateOf(row) === SPACE) return theme.space;
  if (stateOf(row) === OPERATION && state.colours === "state") return theme.grey;
  return isFold(row) && !comparing ? theme.grey : modes[state.colours].colour(row, theme);
}

/** A colour as CSS, mixed once. */
function css(colour) {
  const key = colour.join();
  if (!mixed.has(key)) mixed.set(key, oklch(...colour));
  return mixed.get(key);
}
