// SPDX-License-Identifier: BSD-3-Clause
// A node's console as a terminal, where xterm.js is here; follow.js shows it as text without.
// Only keys and what is pasted are typed: a terminal answers some questions of a guest, and a guest whose log is
// read again would type these answers into its run.
const MOST_KEPT_LINES = 10_000;
const nonce = document.currentScript.nonce;
const terminal = typeof Terminal === "function" && at("terminal") ? opened(at("terminal")) : null;

function colours() {
  return { background: colour("--card"), foreground: colour("--ink"), cursor: colour("--ink"),
    cursorAccent: colour("--card"), selectionBackground: "#8888" };
}

function opened(place) {
  const made = new Terminal({ cols: 80, rows: 24, convertEol: true, scrollback: MOST_KEPT_LINES, fontSize: 13,
    fontFamily: "ui-monospace, monospace", minimumContrastRatio: 4.5, theme: colours(), disableStdin: false });
  made.parser.registerOscHandler(8, () => true); // A link of a guest's is its text, and leads nowhere.
  withNonce(() => made.open(place));
  onScheme(() => { made.options.theme = colours(); });
  const size = at("terminal-size");
  size.addEventListener("change", () => {
    const [columns, lines] = size.value.split("x").map(Number);
    made.resize(columns, lines);
    at("terminal-stty").textContent = `stty cols ${columns} rows ${lines}`;
  });
  return made;
}

// The page takes only styles with its nonce, of which xterm.js knows nothing.
function withNonce(work) {
  const make = document.createElement;
  document.createElement = (...words) => {
    const made = make.apply(document, words);
    if (made.localName === "style") made.nonce = nonce;
    return made;
  };
  try {
    work();
  } finally {
    delete document.createElement;
  }
}

// Gives `type` what is typed while `may()`; Ctrl-] calls `leave`.
function typeInto(type, may, leave) {
  terminal.attachCustomKeyEventHandler((event) => {
    const isControl = event.ctrlKey && !event.altKey && !event.metaKey;
    if (isControl && event.key === "]") {
      event.preventDefault();
      if (event.type === "keydown") leave();
      return false;
    }
    return !(isControl && (event.key === "v" || (event.key === "c" && terminal.hasSelection())));
  });
  terminal.onKey(({ key }) => { if (may()) type(key); });
  at("terminal").addEventListener("paste", (event) => {
    event.preventDefault();
    event.stopPropagation();
    if (!may()) return;
    const text = event.clipboardData.getData("text").replace(/\r?\n/g, "\r").replaceAll("\x1b", "");
    type(terminal.modes.bracketedPasteMode ? `\x1b[200~${text}\x1b[201~` : text);
  }, true);
}

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
