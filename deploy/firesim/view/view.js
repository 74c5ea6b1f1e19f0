// SPDX-License-Identifier: BSD-3-Clause
// Puts what the server tells of a run into the page. Whatever comes from the run becomes text, never markup.
"use strict";
const MOST_POINTS = 600;
const LEAST_S = 0.2;

const at = (id) => document.getElementById(id);
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const onScheme = (look) => matchMedia("(prefers-color-scheme: dark)").addEventListener("change", look);
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

const showRates = chartIn(at("rate-chart"), { label: "wall time", words: (value) => `${value} s` },
  { label: "rate", words: (value) => short(value, "Hz") });

function showRate(run) {
  const last = moments.at(-1);
  if (!last || run.wall_s - last[0] > LEAST_S || moments.length === 1) moments.push([run.wall_s, run.cycle]);
  if (moments.length > MOST_POINTS) moments = moments.filter((_, index) => index % 2 === 0);
  showRates(moments.slice(1).map(([wall, cycle], index) => {
    const [before, from] = moments[index];
    return [wall, (cycle - from) / Math.max(wall - before, 1e-9)];
  }));
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
