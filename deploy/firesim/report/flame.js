// SPDX-License-Identifier: BSD-3-Clause
// Flame graphs: drawn as wide as the page is, zoomed by a click, searched as one types, given new data while they grow.
"use strict";
const ROW_PX = 18, LEAST_PX = 0.4, LETTER_PX = 6.7;

function hue(name) {
  let hash = 7;
  for (const letter of name) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
  // What is no function ([user], [system call]) is blue, functions are from red to yellow.
  return name.startsWith("[") ? 195 + hash % 40 : 8 + hash % 42;
}

class Flame {
  constructor(card, data) {
    this.data = data;
    this.frames = card.querySelector(".frames");
    this.detail = card.querySelector(".detail");
    this.search = card.querySelector("input");
    this.out = card.querySelector("button");
    this.total = this.data.cycles[0];
    this.zoomed = 0;
    this.detail.dataset.idle = this.detail.textContent = this.words(0);
    this.search.addEventListener("input", () => this.mark());
    this.out.addEventListener("click", () => this.zoom(0));
    this.frames.addEventListener("click", (event) => {
      const frame = event.target.closest("[data-frame]");
      if (frame) this.zoom(Number(frame.dataset.frame));
    });
    this.frames.addEventListener("pointerover", (event) => {
      const frame = event.target.closest("[data-frame]");
      if (frame) this.detail.textContent = this.words(Number(frame.dataset.frame));
    });
    this.frames.addEventListener("pointerleave", () => { this.detail.textContent = this.detail.dataset.idle; });
    // A graph in a closed <details> has no width until it is opened.
    new ResizeObserver(() => this.draw()).observe(this.frames);
  }

  words(index) {
    const cycles = this.data.cycles[index];
    const share = (100 * cycles / this.total).toPrecision(3);
    return `${this.data.names[this.data.name[index]]}: ${cycles.toLocaleString("en-GB")} cycles, ${share} %`;
  }

  // Yields the names of each frame's callers and its own, outermost first.
  *paths() {
    const { names, name, depth } = this.data, path = [];
    for (let i = 0; i < name.length; i++) {
      path.length = depth[i];
      path.push(names[name[i]]);
      yield path.join(";");
    }
  }

  // Stacks that have grown: what was zoomed into stays so, where it still is.
  take(data) {
    const wanted = [...this.paths()][this.zoomed];
    this.data = data;
    this.total = data.cycles[0];
    this.zoom(Math.max(0, [...this.paths()].indexOf(wanted)));
  }

  zoom(index) {
    this.zoomed = index;
    this.detail.dataset.idle = this.detail.textContent = this.words(index);
    this.out.hidden = index === 0;
    this.draw(true);
  }

  draw(again = false) {
    const width = this.frames.clientWidth;
    if (!width || (width === this.width && !again)) return;
    this.width = width;
    const { names, name, depth, start, cycles } = this.data;
    const low = start[this.zoomed], span = cycles[this.zoomed], least = span * LEAST_PX / width;
    const drawn = document.createDocumentFragment();
    let deepest = 0;
    for (let i = 0; i < name.length; i++) {
      const below = depth[i] < depth[this.zoomed];
      // Callers of the zoomed frame stay under it, in full width.
      if (below ? start[i] > low || start[i] + cycles[i] < low + span : cycles[i] < least) continue;
      if (start[i] + cycles[i] <= low || start[i] >= low + span) continue;
      const box = document.createElement("div");
      const wide = below ? width : cycles[i] / span * width;
      const text = names[name[i]];
      box.dataset.frame = i;
      box.className = below ? "caller" : "";
      box.style.cssText = `left:${below ? 0 : (start[i] - low) / span * width}px;width:${wide}px;`
        + `bottom:${depth[i] * ROW_PX}px;--hue:${hue(text)}`;
      if (wide > 3 * LETTER_PX) box.textContent = text;
      drawn.append(box);
      deepest = Math.max(deepest, depth[i]);
    }
    this.frames.style.height = `${(deepest + 1) * ROW_PX}px`;
    this.frames.replaceChildren(drawn);
    this.mark();
  }

  // Colours what is searched for, and says how many cycles it has, callees counted with it once.
  mark() {
    const wanted = this.search.value.toLowerCase();
    const { names, name, start, cycles } = this.data;
    const hits = new Set(names.flatMap((text, i) => wanted && text.toLowerCase().includes(wanted) ? [i] : []));
    for (const box of this.frames.children) box.classList.toggle("hit", hits.has(name[box.dataset.frame]));
    let until = -1, found = 0;
    const spans = name.flatMap((n, i) => hits.has(n) ? [[start[i], start[i] + cycles[i]]] : []);
    for (const [from, to] of spans.sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
      if (to <= until) continue;
      found += to - from;
      until = to;
    }
    this.search.title = `${(100 * found / this.total).toPrecision(3)} % of all cycles`;
    if (wanted) this.detail.textContent = `“${this.search.value}”: ${found.toLocaleString("en-GB")} cycles, ${this.search.title}`;
    else this.detail.textContent = this.detail.dataset.idle;
  }
}

for (const card of document.querySelectorAll(".flame")) new Flame(card, JSON.parse(card.querySelector("script").textContent));
