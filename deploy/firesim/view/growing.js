// SPDX-License-Identifier: BSD-3-Clause
// What grows while a run goes on: the counters of a node, how fast one of them came, and the flame graph of a node.
let chosen = { node: null, counter: -1 };
const showGrowth = chartIn(at("series"), { label: "cycle", words: (value) => short(value) },
  { label: "in 1,000 cycles", words: (value) => short(value) });

// The same rows as long as the names are: a button that is pressed stays where it is.
follow(at("counter-node"), async (node, isWanted) => {
  const counted = await asked(`counters?node=${encodeURIComponent(node)}`);
  if (!isWanted()) return;
  if (chosen.node !== node) chosen = { node, counter: -1 };
  at("counter-cycle").textContent = counted.cycle;
  at("metric-table").tBodies[0].replaceChildren(...counted.metrics.map((one) => row(one, [0])));
  const body = at("counter-table").tBodies[0];
  if (body.rows.length !== counted.rows.length) body.replaceChildren(...counted.rows.map(counterRow));
  counted.rows.forEach((texts, index) => {
    const cells = body.rows[index].cells;
    cells[0].firstChild.textContent = texts[0];
    cells[1].textContent = texts[1];
    cells[2].textContent = texts[2];
  });
  await showSeries(counted.rows, isWanted);
});

function counterRow(texts, index) {
  const made = row(["", "", ""], [0]), name = document.createElement(at("series") ? "button" : "span");
  name.type = "button";
  name.addEventListener("click", () => {
    chosen.counter = index;
    showSeries([...at("counter-table").tBodies[0].rows].map((one) => [one.cells[0].textContent]), () => true);
  });
  made.cells[0].append(name);
  return made;
}

async function showSeries(rows, isWanted) {
  const { node, counter } = chosen, figure = at("series");
  if (!figure) return;
  figure.hidden = counter < 0 || counter >= rows.length;
  if (figure.hidden) return;
  const { points } = await asked(`series?node=${encodeURIComponent(node)}&counter=${counter}`);
  if (!isWanted() || chosen.counter !== counter) return;
  figure.querySelector("figcaption").textContent = `${rows[counter][0]}: events in 1,000 cycles`;
  showGrowth(points);
}

// A flame graph is asked for while it can be seen, and comes when it has changed.
let isSeen = false;
let graph = { node: null, version: "", drawn: null };
if (at("flame")) new IntersectionObserver(([entry]) => { isSeen = entry.isIntersecting; }).observe(at("flame"));

function flameCard() {
  const card = document.createElement("div"), tools = document.createElement("div"), search = document.createElement("input");
  const out = document.createElement("button"), detail = document.createElement("p"), frames = document.createElement("div");
  card.className = "card flame";
  tools.className = "tools";
  search.type = "search";
  search.placeholder = "Search functions";
  search.setAttribute("aria-label", search.placeholder);
  out.type = "button";
  out.textContent = "Zoom out";
  out.hidden = true;
  detail.className = "detail";
  frames.className = "frames";
  frames.setAttribute("role", "img");
  frames.setAttribute("aria-label", "Flame graph");
  tools.append(search, out);
  card.append(tools, detail, frames);
  return card;
}

follow(at("flame-node"), async (node, isWanted) => {
  if (graph.node !== node) {
    graph = { node, version: "", drawn: null };
    at("flame").replaceChildren();
  } else if (!isSeen && !isOver) return;
  const told = await asked(`flame?node=${encodeURIComponent(node)}&seen=${graph.version}`);
  if (!isWanted() || told.version === graph.version) return;
  graph.version = told.version;
  at("flame-words").textContent = told.words ?? "";
  if (!told.frames) return;
  if (graph.drawn) graph.drawn.take(told.frames);
  else {
    at("flame").replaceChildren(flameCard());
    graph.drawn = new Flame(at("flame").firstChild, told.frames);
  }
});
