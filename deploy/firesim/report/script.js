// SPDX-License-Identifier: BSD-3-Clause
// Legends of the charts, and the values under the pointer.
"use strict";
const tip = document.getElementById("tip");
const colour = (index) => `var(--s${index % 6})`;
const shown = (value) => Number(value.toPrecision(6)).toLocaleString("en-GB", { maximumFractionDigits: 4 });

function nearest(values, wanted) {
  let low = 0, high = values.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < wanted) low = middle + 1; else high = middle;
  }
  return low > 0 && wanted - values[low - 1] < values[low] - wanted ? low - 1 : low;
}

for (const chart of document.querySelectorAll("svg.chart")) {
  const data = JSON.parse(chart.dataset.chart);
  const cursor = chart.querySelector(".cursor");
  const legend = chart.parentElement.querySelector(".legend");
  // A single line is named by the title above it.
  if (data.series.length > 1) data.series.forEach((series, index) => {
    const mark = document.createElement("i");
    mark.style.background = colour(index);
    const entry = document.createElement("span");
    entry.append(mark, series.name);
    legend.append(entry);
  });
  const show = (event) => {
    const box = chart.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * data.width;
    const share = Math.min(1, Math.max(0, (x - data.left) / (data.right - data.left)));
    const index = nearest(data.x, data.low + share * (data.high - data.low));
    const place = data.left + (data.x[index] - data.low) / (data.high - data.low) * (data.right - data.left);
    cursor.setAttribute("x1", place);
    cursor.setAttribute("x2", place);
    cursor.style.visibility = "visible";
    const lines = data.series.map((series) => `${series.name}: ${shown(series.y[index])}`);
    tip.textContent = [`${data.xLabel}: ${shown(data.x[index])}`, ...lines].join("\n");
    tip.hidden = false;
    const left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
    tip.style.left = `${left}px`;
    tip.style.top = `${event.clientY + 14}px`;
  };
  // A finger shows the values where it touches.
  chart.addEventListener("pointermove", show);
  chart.addEventListener("pointerdown", show);
  chart.addEventListener("pointerleave", () => {
    tip.hidden = true;
    cursor.style.visibility = "hidden";
  });
}
