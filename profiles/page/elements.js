// Makes elements. Texts go in as text, never as markup.

/** An element with attributes and children; `on…` is a listener, a `null` child is left out. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "tint") element.style.background = value;
    else if (name === "spans") element.style.width = value;
    else if (value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Buttons of which one is chosen. `names` is value -> name. */
function choice(place, names, chosen, choose) {
  const buttons = Object.entries(names).map(([value, name]) =>
    make("button", { role: "radio", "aria-checked": String(value === chosen), onclick: () => choose(value) }, name));
  find(place).replaceChildren(...buttons);
}

/** A swatch in the colour of a row. */
const swatch = (row) => make("i", { class: "swatch", tint: fillOf(row) });

/** A change in words, coloured by its direction. */
function change(value, weight) {
  return make("span", { class: value > 0 ? "grew" : value < 0 ? "shrank" : "" }, signed(value, weight));
}
