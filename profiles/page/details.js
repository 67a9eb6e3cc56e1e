// The panel's upper half: the focused row in all weights.

function weightsTable(row) {
  const rows = page.weights.map(({ label }, weight) => {
    const { own, total, before, change: by } = weighed(row, weight);
    const cells = comparing
      ? [amount(before, weight), amount(total, weight), change(by, weight)]
      : [isFold(row) ? "" : amount(own, weight), amount(total, weight), share(total, layoutOf(weight).total[0])];
    return make("tr", { class: weight === state.weight ? "chosen" : "" },
      make("th", { scope: "row" }, label), ...cells.map((cell) => make("td", {}, cell)));
  });
  const heads = comparing ? ["before", "after", "change"] : ["own", "with below", "share"];
  return make("table", {},
    make("thead", {}, make("tr", {}, ...["", ...heads].map((head) => make("th", { scope: "col" }, head)))),
    make("tbody", {}, ...rows));
}

/** A rule that shows where in the longest prompt a row stands. */
function positionRule(row) {
  if (!positionText(row)) return null;
  const mark = make("i", { spans: `${(100 * (endOf(row) - startOf(row))) / longest}%` });
  mark.style.left = `${(100 * startOf(row)) / longest}%`;
  return make("div", { class: "position", title: `of ${grouped(longest)} tokens` }, mark);
}

listeners.push(() => {
  const row = state.focused;
  const path = pathOf(parentOf[row]).slice(1).map(labelOf).join(" › ");
  const said = [positionText(row), row ? `depth ${depthOf[row]}` : `${count(nodesOf(0), "node")}, ${count(deepest, "level")}`];
  find("#details").replaceChildren(
    make("h2", {}, row ? labelOf(row) : "Everything"),
    make("p", { class: "said" }, said.filter(Boolean).join(" · ")),
    make("p", { class: "said" }, ...chips(row)),
    ...[positionRule(row), path ? make("p", { class: "path" }, path) : null].filter(Boolean),
    weightsTable(row),
    make("div", { class: "row" },
      make("button", { onclick: () => copy(row), title: "y" }, "Copy text"),
      ...(row ? [
        make("button", { onclick: () => zoom(row), title: "Enter" }, "Zoom"),
        make("button", { onclick: () => seek(nameOf(row)) }, "Find alike"),
      ] : [])));
});
