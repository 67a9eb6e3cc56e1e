// What is said of one row: at the pointer, in the panel, to a screen reader, as text to copy.

const tip = find("#tip");

/** What all of a row weighs, and its own part; in a comparison, on both sides. */
function weighed(row, weight) {
  const { own, total, before, after, allBefore, allAfter } = layoutOf(weight);
  if (!comparing) return { own: own[row], total: total[row] };
  return {
    own: after[row], total: allAfter[row], before: allBefore[row], ownBefore: before[row],
    ownChange: after[row] - before[row], change: allAfter[row] - allBefore[row],
  };
}

const weightName = (weight) => page.weights[weight].label;

/** Where in a prompt the tokens of a row stand. */
function positionText(row) {
  if (!endOf(row)) return "";
  return `tokens ${grouped(startOf(row))} to ${grouped(endOf(row))} of the prompt`;
}

/** What became of a row between the two sides. */
function statusText(row) {
  const { own, before, after, allBefore, allAfter } = shownLayout();
  const [from, to] = own[row] ? [before[row], after[row]] : [allBefore[row], allAfter[row]];
  if (from === to) return "same";
  return !from ? "new" : !to ? "gone" : to > from ? "grew" : "shrank";
}

/** What is told of a row below its size, a line each. */
function facts(row) {
  if (!row) return [];
  const { own: wide, total } = shownLayout();
  const { own, total: whole, ownBefore, before } = weighed(row, state.weight);
  const say = (value) => amount(value, state.weight);
  return [
    comparing && `${say(before)} → ${say(whole)} with everything below`,
    comparing && wide[row] && `its own: ${say(ownBefore)} → ${say(own)}`,
    !comparing && !isFold(row) && (own === whole ? "all its own" : `${say(own)} its own, ${say(whole - own)} below`),
    parentOf[row] && `${share(total[row], total[parentOf[row]])} of what it follows`,
    positionText(row),
    `depth ${depthOf[row]}${spaceOf(row) && ` · namespace ${spaceOf(row)}`}`,
  ].filter(Boolean);
}

function chips(row) {
  const said = [comparing && row && statusText(row), page.kinds[kindOf(row)], stateText(row)].filter(Boolean);
  return said.map((text) => make("span", { class: "chip" }, text));
}

/** The size of a row in the chosen weight, as a line of its own. */
function headline(row) {
  const { weight } = state;
  const { total } = layoutOf(weight);
  const { total: whole, change: by } = weighed(row, weight);
  const said = [" ", make("small", {}, weightName(weight))];
  if (comparing) said.push(" ", change(by, weight));
  else if (row) said.push(" ", make("small", {}, `${share(total[row], total[0])} of all`));
  return make("p", { class: "big" }, amount(whole, weight), ...said);
}

/** Show the tip at a place of the window, inside of it. */
function showTip(row, x, y) {
  tip.hidden = row < 0;
  if (row < 0) return;
  const lines = facts(row).map((line) => make("p", {}, line));
  tip.replaceChildren(make("h2", {}, labelOf(row)), headline(row), ...lines, make("p", {}, ...chips(row)));
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 6))}px`;
  tip.style.top = `${y + 20 + height < innerHeight ? y + 20 : Math.max(4, y - height - 12)}px`;
}

/** A row in a sentence. */
function spoken(row) {
  const { total } = shownLayout();
  const size = `${amount(weighed(row, state.weight).total, state.weight)} ${weightName(state.weight)}`;
  return [labelOf(row), size, share(total[row], total[0]), stateText(row), positionText(row)].filter(Boolean).join(", ");
}

/** Everything about a row as lines of text. */
function asText(row) {
  const path = pathOf(row).slice(1).map(labelOf).join(" › ");
  const weights = page.weights.map((_, weight) => {
    const { own, total, before } = weighed(row, weight);
    return `${weightName(weight)}: ${comparing ? `${grouped(before)} -> ` : ""}${grouped(total)}`
      + (isFold(row) ? "" : ` (own ${grouped(own)})`);
  });
  const place = [stateText(row), positionText(row)].filter(Boolean).join(", ");
  return [path || "all", place, ...weights].filter(Boolean).join("\n");
}

async function copy(row) {
  const copied = await navigator.clipboard.writeText(asText(row)).then(() => true, () => false);
  find("#spoken").textContent = find("#totals").textContent = copied ? "copied" : "pages cannot copy here: select the text";
}
