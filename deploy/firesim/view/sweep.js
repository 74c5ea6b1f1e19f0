// SPDX-License-Identifier: BSD-3-Clause
// The table of a sweep: asked for each second while points go on. Whatever comes from the sweep becomes text.
"use strict";
const POLL_MS = 1000;
const at = (id) => document.getElementById(id);
const table = at("points");
let told = { columns: [], rows: [], version: "" };
let sorted = { column: -1, isDown: false };

function number(text) {
  const value = Number(text.replaceAll(",", "").split(" ")[0]);
  return text === "" || text === "-" || Number.isNaN(value) ? null : value;
}

// Numbers as numbers, and before them what is none, whatever the order.
function compared(a, b) {
  const x = number(a), y = number(b);
  if (x !== null && y !== null) return x - y;
  if (x === null && y === null) return a.localeCompare(b, "en", { numeric: true });
  return x === null ? 1 : -1;
}

function head() {
  const line = document.createElement("tr");
  told.columns.forEach((name, index) => {
    const cell = document.createElement("th"), button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", () => {
      sorted = { column: index, isDown: sorted.column === index && !sorted.isDown };
      show();
    });
    if (index === sorted.column) cell.setAttribute("aria-sort", sorted.isDown ? "descending" : "ascending");
    cell.append(button);
    line.append(cell);
  });
  return line;
}

function point(one) {
  const line = document.createElement("tr");
  line.className = one.look;
  line.title = one.message;
  one.cells.forEach((text, index) => {
    const cell = line.insertCell();
    if (index || !one.page) cell.textContent = text;
    else {
      const link = document.createElement("a");
      link.href = `${one.point}/`;
      link.textContent = text;
      cell.append(link);
    }
  });
  return line;
}

function show() {
  const rows = [...told.rows], { column, isDown } = sorted;
  if (column >= 0) rows.sort((a, b) => (isDown ? -1 : 1) * compared(a.cells[column], b.cells[column]));
  table.tHead.replaceChildren(head());
  table.tBodies[0].replaceChildren(...rows.map(point));
  const more = told.left_out ? `; ${told.left_out.toLocaleString("en-GB")} more are in sweep.csv` : "";
  at("summary").textContent = `${told.summary}${more}`;
}

async function look() {
  if (!document.hidden) {
    try {
      const answer = await fetch(`table?seen=${told.version}`);
      const news = await answer.json();
      at("lost").hidden = true;
      if (news.rows) {
        told = news;
        show();
      }
    } catch {
      at("lost").hidden = false;
    }
  }
  if (!told.over) setTimeout(look, POLL_MS);
}

look();
