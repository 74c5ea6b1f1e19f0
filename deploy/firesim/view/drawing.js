// SPDX-License-Identifier: BSD-3-Clause
// What moves in the drawing of the topology. Its lines and boxes are in the order in which the server tells of them.
const SVG = "http://www.w3.org/2000/svg";
const MOST_MOVING = 300;
const LEAST_LOAD = 0.001;
const lines = [...document.querySelectorAll(".topology .link")];
const boxes = [...document.querySelectorAll(".topology .box")];
const captions = lines.map((line) => line.querySelector("title").textContent);
const boxNames = boxes.map((box) => box.querySelector("title").textContent);

// Many lines stand still: their colours say enough, and a browser has to draw each step of each.
if (lines.length > MOST_MOVING) document.querySelector(".topology").classList.add("still");

// The dashes of both directions beside each other; made when a line first carries something.
function streams(line) {
  if (!line.streams) {
    const shape = line.querySelector("line, path");
    const [x, y] = across(shape);
    line.streams = [1, -1].map((side) => {
      const made = shape.cloneNode();
      made.setAttribute("transform", `translate(${3 * side * x} ${3 * side * y})`);
      line.insertBefore(made, shape.nextSibling);
      return made;
    });
  }
  return line.streams;
}

// The direction across a line, from its ends.
function across(shape) {
  const from = shape.getPointAtLength(0), to = shape.getPointAtLength(shape.getTotalLength());
  const x = to.x - from.x, y = to.y - from.y, length = Math.hypot(x, y) || 1;
  return [-y / length, x / length];
}

function showLoads(loads) {
  loads.forEach((both, index) => {
    const line = lines[index];
    if (line.streams || Math.max(...both) >= LEAST_LOAD) {
      streams(line).forEach((stream, way) => {
        const load = both[way];
        const fullness = load >= 0.8 ? "full" : load >= 0.4 ? "half" : "some";
        const look = load < LEAST_LOAD ? "none" : `flow ${way ? "back" : "ahead"} ${fullness}`;
        if (stream.getAttribute("class") !== look) stream.setAttribute("class", look);
        stream.style.strokeWidth = `${1.5 + 4 * load}px`;
      });
    }
    const words = both.map((load) => `${(100 * load).toFixed(1)} %`);
    line.querySelector("title").textContent = `${captions[index]}; load ${words[0]} up or right, ${words[1]} back`;
  });
}

// A triangle at the end that is waited for, pointing there.
function showPulls(pulls) {
  lines.forEach((line, index) => {
    const pull = pulls[index] ?? 0;
    if (!pull && !line.triangles) return;
    line.triangles ??= [0.8, 0.14].map((place) => triangle(line, place));
    line.triangles.forEach((made, way) => { made.style.display = pull & (1 << way) ? "" : "none"; });
  });
}

function triangle(line, place) {
  const shape = line.querySelector("line, path"), length = shape.getTotalLength();
  const here = shape.getPointAtLength(place * length);
  const ahead = shape.getPointAtLength((place + (place > 0.5 ? 0.02 : -0.02)) * length);
  const angle = Math.atan2(ahead.y - here.y, ahead.x - here.x) * 180 / Math.PI;
  const made = document.createElementNS(SVG, "path");
  made.setAttribute("class", "pull");
  made.setAttribute("d", "M7 0L-5 -6L-5 6Z");
  made.setAttribute("transform", `translate(${here.x} ${here.y}) rotate(${angle})`);
  line.append(made);
  return made;
}

function showBoxes(looks) {
  looks.forEach((look, index) => {
    boxes[index].classList.remove("failed", "ended", "busy", "waits", "calm");
    boxes[index].classList.add(look);
  });
}

function showQueues(shares) {
  shares.forEach((share, index) => {
    if (share < 0) return;
    const box = boxes[index], frame = box.querySelector("rect"), wide = frame.width.baseVal.value - 20;
    if (!box.bar) {
      box.bar = document.createElementNS(SVG, "rect");
      box.bar.setAttribute("class", "queue");
      for (const [key, value] of Object.entries({ x: frame.x.baseVal.value + 10, height: 4, rx: 2,
        y: frame.y.baseVal.value + frame.height.baseVal.value - 7 })) box.bar.setAttribute(key, value);
      box.append(box.bar);
    }
    box.bar.setAttribute("width", share ? Math.max(2, share * wide) : 0);
    box.bar.classList.toggle("full", share >= 0.8);
    box.querySelector("title").textContent = `${boxNames[index]}; fullest queue ${(100 * share).toFixed(1)} % full`;
  });
}

function showDrawing(news) {
  if (news.boxes) showBoxes(news.boxes);
  if (news.lines) showLoads(news.lines);
  if (news.queues) showQueues(news.queues);
  if (news.pulls) showPulls(news.pulls);
}
