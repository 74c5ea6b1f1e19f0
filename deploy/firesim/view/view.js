// SPDX-License-Identifier: BSD-3-Clause
// Puts what the server tells of a run into the page. Whatever comes from the run becomes text, never markup.
"use strict";
const MOST_POINTS = 600;
const LEAST_S = 0.2;
const SVG = "http://www.w3.org/2000/svg";

const at = (id) => document.getElementById(id);
const about = JSON.parse(at("about").textContent);
let isOver = false;

function row(texts, textColumns) {
  const made = document.createElement("tr");
  texts.forEach((text, index) => {
    const cell = made.insertCell();
    cell.textContent = text;
    if (textColumns.includes(index)) cell.className = "text";
  });
  return made;
}

// The models: one row each, made once. Of rows that can be seen, cells whose text has changed are touched; the others
// are filled when they come into view.
const body = at("model-table").tBodies[0];
const rows = new Map(about.models.map((name) => {
  const made = row([name, "", "", "", "", "", "", ""], [0, 7]);
  body.append(made);
  return [name, made];
}));

const MANY_MODELS = 100;
const newest = new Map();
const seen = new Set();
const eye = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) seen.add(target.cells[0].textContent);
    else seen.delete(target.cells[0].textContent);
    if (isIntersecting) showModel(target.cells[0].textContent);
  }
});
for (const made of rows.values()) eye.observe(made);
at("model-table").classList.toggle("many", rows.size > MANY_MODELS);

function showModel(name) {
  const made = rows.get(name), figures = newest.get(name);
  if (!figures) return;
  const look = figures.at(-1);
  if (made.className !== look) made.className = look;
  figures.slice(0, -1).forEach((text, index) => {
    const cell = made.cells[index + 1];
    if (cell.textContent !== text) cell.textContent = text;
  });
}

function showModels(models) {
  const isFirst = newest.size === 0;
  for (const [name, figures] of Object.entries(models)) {
    if (!rows.has(name)) continue;
    newest.set(name, figures);
    if (isFirst || seen.has(name)) showModel(name);
  }
}

at("filter").addEventListener("input", (event) => {
  const wanted = event.target.value.toLowerCase();
  for (const [name, made] of rows) made.hidden = !name.toLowerCase().includes(wanted);
});

// The rate: between two moments, over wall time.
let moments = [];

function hertz(value) {
  const thousands = Math.min(3, Math.max(0, Math.floor(Math.log10(value) / 3)));
  return `${Number((value / 1000 ** thousands).toPrecision(3))} ${["Hz", "kHz", "MHz", "GHz"][thousands]}`;
}

function showRate(run) {
  const last = moments.at(-1);
  if (!last || run.wall_s - last[0] > LEAST_S || moments.length === 1) moments.push([run.wall_s, run.cycle]);
  if (moments.length > MOST_POINTS) moments = moments.filter((_, index) => index % 2 === 0);
  const rates = moments.slice(1).map(([wall, cycle], index) => {
    const [before, from] = moments[index];
    return [wall, (cycle - from) / Math.max(wall - before, 1e-9)];
  });
  const most = Math.max(...rates.map(([, rate]) => rate), 1);
  plot(at("plot"), rates, { from: 0, most, top: hertz(most), left: "0 s", right: run.wall });
}

// Draws a line through points from an x on, up to a most; texts are at the top, and at both ends below.
function plot(chart, points, { from, most, top, left, right }) {
  const span = Math.max((points.at(-1)?.[0] ?? 0) - from, 1e-9);
  const places = points.map(([x, y]) =>
    `${(500 * (x - from) / span + 10).toFixed(1)},${(125 - 110 * y / (most || 1)).toFixed(1)}`);
  const line = document.createElementNS(SVG, "polyline");
  line.setAttribute("class", "line s0");
  line.setAttribute("points", places.join(" "));
  chart.replaceChildren(line, tick(10, 11, "start", top), tick(10, 144, "start", left), tick(510, 144, "end", right));
}

function tick(x, y, anchor, text) {
  const made = document.createElementNS(SVG, "text");
  made.setAttribute("class", "tick");
  made.setAttribute("x", x);
  made.setAttribute("y", y);
  made.setAttribute("text-anchor", anchor);
  made.textContent = text;
  return made;
}

function showRun(run) {
  isOver = run.over;
  document.body.classList.toggle("over", run.over);
  at("tile-state").className = `card tile ${run.tone}`;
  const texts = {
    state: run.state,
    detail: run.detail,
    target: run.target,
    cycle: `cycle ${run.cycle.toLocaleString("en-GB")}`,
    speed: run.rate,
    slowest: run.slowest,
    wall: run.wall,
    ended: `${run.ended} models have ended`,
    left: run.progress,
    network: run.network,
  };
  for (const [id, text] of Object.entries(texts)) at(id).textContent = text;
  for (const one of document.querySelectorAll("[data-live]")) one.disabled = run.over;
  at("progress").hidden = run.share === null;
  at("progress").querySelector("progress").value = run.share ?? 0;
}

function take(news) {
  at("lost").hidden = true;
  // Models move a whole batch at once: a rate over less time says nothing.
  if (news.history) moments = news.history.reduce((kept, one) => (one[0] - (kept.at(-1)?.[0] ?? -1) > LEAST_S ? [...kept, one] : kept), []);
  showModels(news.models);
  showDrawing(news);
  for (const [key, textColumns] of [["links", [0]], ["waits", [0, 3]], ["hosts", [0]]]) {
    if (news[key]) at(`${key.slice(0, -1)}-table`).tBodies[0].replaceChildren(...news[key].map((one) => row(one, textColumns)));
  }
  showRun(news.run);
  showRate(news.run);
}

const events = new EventSource("events");
events.onmessage = (event) => {
  take(JSON.parse(event.data));
  if (!isOver) return;
  events.close();
  document.dispatchEvent(new Event("over"));
};
events.onerror = () => { at("lost").hidden = isOver; };
