// Numbers as people read them.

const STEPS = {
  bytes: [[1024 ** 4, " TiB"], [1024 ** 3, " GiB"], [1024 ** 2, " MiB"], [1024, " KiB"], [1, " B"]],
  nanoseconds: [[1e9, " s"], [1e6, " ms"], [1e3, " µs"], [1, " ns"]],
  count: [[1e9, "G"], [1e6, "M"], [1, ""]],
};

/** A number in three or four digits and the unit of a weight: 12,345, 1.23 MiB, 45.6 ms. */
function amount(value, weight) {
  const size = Math.abs(value);
  const steps = STEPS[page.weights[weight].unit];
  // What rounds up to the next unit is told in that one.
  const [step, unit] = steps.find(([step], at) => size >= step - (steps[at + 1]?.[0] ?? 0) / 2) ?? steps.at(-1);
  const scaled = size / step;
  const digits = step === 1 || scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
  const text = scaled.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return (value < 0 ? "−" : "") + text + unit;
}

/** A change with its sign. */
const signed = (value, weight) => (value > 0 ? "+" : value ? "" : "±") + amount(value, weight);

/** A share: 12%, 3.4%, 0.05%. */
function share(part, whole) {
  const percent = whole ? (100 * part) / whole : 0;
  if (percent && percent < 0.01) return "<0.01%";
  return `${percent.toFixed(percent >= 9.95 || !percent ? 0 : percent >= 0.095 ? 1 : 2)}%`;
}

/** A whole number to its last digit. */
const grouped = (value) => value.toLocaleString("en");

const count = (value, one, many = `${one}s`) => `${grouped(value)} ${value === 1 ? one : many}`;
