// SPDX-License-Identifier: BSD-3-Clause
// What a page does to its simulation: types into consoles, takes snapshots, looks at signals.
const MOST_TYPED = 4000;
const HURRY_FOR_MS = 3000;
const JOB_MS = 400;
const KEYS = {
  Enter: "\r", Backspace: "\x7f", Tab: "\t", Escape: "\x1b", Delete: "\x1b[3~", Home: "\x1b[H", End: "\x1b[F",
  ArrowUp: "\x1b[A", ArrowDown: "\x1b[B", ArrowRight: "\x1b[C", ArrowLeft: "\x1b[D",
};

// Says a sentence beside what was pressed, "" for none.
function say(id, text) {
  at(id).textContent = text;
  at(id).hidden = !text;
}

async function act(name, message) {
  const answer = await fetch(name, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(message),
  });
  if (answer.ok) return;
  const isSentence = answer.headers.get("Content-Type") === "application/json";
  throw new Error(isSentence ? (await answer.json()).error : `${answer.status} ${answer.statusText}`);
}

// Typing: what is typed while a message is on its way waits for its answer, so that all stays in order.
const waiting = [];
let isSending = false;

async function sendTyped() {
  if (isSending) return;
  isSending = true;
  while (waiting.length) {
    const message = waiting.shift();
    try {
      await act("type", message);
      say("console-said", "");
    } catch (error) {
      waiting.length = 0;
      say("console-said", error.message);
    }
    hurryUntilMs = performance.now() + HURRY_FOR_MS;
    listen();
  }
  isSending = false;
}

function type(text) {
  const node = at("console-node").value, letters = [...text];
  for (let from = 0; from < letters.length; from += MOST_TYPED) {
    const piece = letters.slice(from, from + MOST_TYPED).join(""), last = waiting.at(-1);
    if (last?.node === node && last.text.length + piece.length <= MOST_TYPED) last.text += piece;
    else waiting.push({ node, text: piece });
  }
  sendTyped();
}

// What a terminal sends for a key; undefined for keys that are the browser's.
function sentFor(event) {
  if (event.altKey || event.metaKey || event.isComposing) return undefined;
  if (!event.ctrlKey) return KEYS[event.key] ?? ([...event.key].length === 1 ? event.key : undefined);
  const isCopy = event.key === "c" && !getSelection().isCollapsed;
  if (isCopy || event.key === "v" || !/^[a-z[\\^_@]$/i.test(event.key)) return undefined;
  return String.fromCharCode(event.key.toUpperCase().charCodeAt(0) & 31);
}

function typeIntoText(type, may, leave) {
  const pane = at("console");
  pane.classList.add("typed");
  pane.addEventListener("keydown", (event) => {
    if (!may()) return;
    const isLeaving = event.ctrlKey && event.key === "]";
    const text = isLeaving ? "" : sentFor(event);
    if (text === undefined) return;
    event.preventDefault();
    if (isLeaving) leave();
    else type(text);
  });
  pane.addEventListener("paste", (event) => {
    event.preventDefault();
    if (may()) type(event.clipboardData.getData("text").replace(/\r?\n/g, "\r"));
  });
}

if (at("type-line")) {
  const line = at("type-line").elements.line;
  const may = () => !isOver && about.typed.includes(at("console-node").value), leave = () => line.focus();
  if (terminal) typeInto(type, may, leave);
  else typeIntoText(type, may, leave);
  at("type-line").addEventListener("submit", (event) => {
    event.preventDefault();
    type(`${line.value}\r`);
    line.value = "";
  });
}

// Snapshots and peeks take a while: what was begun is asked for until it has ended.
const WORDS = {
  snapshot: {
    going: (job) => `${job.name} is being taken …`,
    done: (job) => `saved ${job.name} at cycle ${job.cycle}`,
  },
  signals: {
    going: (job) => `${job.node} is being looked at: the run is simulated again up to there …`,
    done: (job) => (job.more ? `and ${job.more.toLocaleString("en-GB")} more names` : ""),
  },
};

function showJob(kind, job) {
  const words = job.state === "failed" ? job.error : WORDS[kind][job.state]?.(job) ?? "";
  if (job.state !== "none") say(`${kind}-said`, words);
  at(`${kind}-said`).classList.toggle("bad", job.state === "failed");
}

function showSignals(job) {
  if (!at("signals")) return;
  showJob("signals", job);
  const values = at("value-table"), names = at("name-table");
  if (job.rows) values.tBodies[0].replaceChildren(...job.rows.map((one) => row(one, [1])));
  if (job.names) names.tBodies[0].replaceChildren(...job.names.map(nameRow));
  values.hidden = !job.rows;
  names.hidden = !job.names;
}

// A name that is pressed goes into the field.
function nameRow([name, ...about]) {
  const made = row(["", ...about], [0, 1]), button = document.createElement("button");
  button.type = "button";
  button.textContent = name;
  button.addEventListener("click", () => { at("signals").elements.signals.value = name; });
  made.cells[0].append(button);
  return made;
}

let looksAgain = 0;
async function showActs() {
  clearTimeout(looksAgain);
  let state;
  try {
    state = await asked("acts");
  } catch {
    return; // The line above the figures says that the page is not connected.
  }
  showJob("snapshot", state.snapshot);
  showSignals(state.signals);
  at("snapshot-table").tBodies[0].replaceChildren(...state.saved.map((one) => row(one, [0])));
  at("snapshot-table").hidden = !state.saved.length;
  const name = at("take-snapshot").elements.name;
  if (state.snapshot.state === "done" && name.value === state.snapshot.name) name.value = nextName(name.value);
  if ([state.snapshot, state.signals].some((job) => job.state === "going")) looksAgain = setTimeout(showActs, JOB_MS);
}

function nextName(name) {
  const [, stem, number] = /^(.*?)-?([0-9]*)$/.exec(name);
  return `${stem}-${Number(number || 1) + 1}`;
}

async function begin(said, name, message) {
  say(said, "");
  try {
    await act(name, message);
    showActs();
  } catch (error) {
    say(said, error.message);
    at(said).classList.add("bad");
  }
}

at("take-snapshot").addEventListener("submit", (event) => {
  event.preventDefault();
  begin("snapshot-said", "snapshot", { name: at("take-snapshot").elements.name.value });
});

if (at("signals")) {
  const { node, signals, cycles } = at("signals").elements;
  const words = (text) => text.trim().split(/\s+/).filter(Boolean);
  at("signals").addEventListener("submit", (event) => {
    event.preventDefault();
    const isList = event.submitter?.value === "names";
    const asks = isList ? { texts: words(signals.value) }
      : { signals: words(signals.value), cycles: words(cycles.value).map(Number) };
    begin("signals-said", isList ? "signals" : "peek", { node: node.value, ...asks });
  });
}

showActs();
