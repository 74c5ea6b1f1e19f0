(dark) => {
  // SPDX-License-Identifier: BSD-3-Clause
  // What is wrong with this page as far as that needs no eyes, as a list of sentences.
  "use strict";
  const all = (selector) => [...document.querySelectorAll(selector)];
  const named = (e) => `<${e.tagName.toLowerCase()} class="${e.className}">`;

  function tooWide() {
    const wide = document.documentElement.scrollWidth;
    if (wide <= innerWidth) return [];
    const over = all("body *").filter((e) =>
      e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, pre, svg"));
    const first = over.slice(0, 3).map(named).join(", ");
    return [`the page is ${wide} px wide in a window of ${innerWidth}: ${first}`];
  }

  function navigation() {
    const faults = [];
    let before = -Infinity, last = "";
    for (const a of all("nav a")) {
      const aim = document.getElementById(a.getAttribute("href").slice(1));
      if (!aim) {
        faults.push(`nav: ${a.getAttribute("href")} leads nowhere`);
        continue;
      }
      const { top } = aim.getBoundingClientRect();
      if (top <= before) faults.push(`nav: ${a.textContent} stands after ${last}, its section before`);
      [before, last] = [top, a.textContent];
    }
    return faults;
  }

  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  function rgba(colour) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  }

  // Relative luminance, as the Web Content Accessibility Guidelines define it.
  function luminance(colour) {
    const linear = (v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = colour.map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  function behind(element) {
    for (let e = element; e; e = e.parentElement) {
      const colour = rgba(getComputedStyle(e).backgroundColor);
      if (colour[3] > 250) return colour;
    }
    return [255, 255, 255];
  }

  function contrast() {
    const worst = new Map();
    const texts = "h1, h2, h3, p, th, td, dt, dd, a, pre, summary, .value, .detail, .badge, .frames div";
    for (const e of all(texts)) {
      if (!e.textContent.trim() || !e.offsetWidth) continue;
      const pair = [rgba(getComputedStyle(e).color), behind(e)].map(luminance);
      const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
      if (ratio < 4) worst.set(named(e), Math.min(ratio, worst.get(named(e)) ?? ratio));
    }
    return [...worst].map(([kind, ratio]) => `contrast of ${kind} is ${ratio.toFixed(1)}, below 4`);
  }

  function scheme() {
    const brightness = luminance(behind(document.body));
    if ((brightness < 0.2) === dark) return [];
    return [`the background has luminance ${brightness.toFixed(2)}, asked for was ${dark ? "dark" : "light"}`];
  }

  return [...tooWide(), ...navigation(), ...contrast(), ...scheme()];
}
