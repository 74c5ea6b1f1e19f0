// SPDX-License-Identifier: BSD-3-Clause
// Follows what is asked for again and again, and the console of a node.
const POLL_MS = 1000, HURRY_MS = 150;
const MOST_CONSOLE_CHARACTERS = 400_000;
let hurryUntilMs = 0;

async function asked(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer.json();
}

// Looks for what is chosen again each second while the run goes on, and sooner after something was typed. Returns what
// looks at once.
function follow(select, look) {
  if (!select) return () => {};
  let turn = 0;
  const again = async (mine) => {
    const wasOver = isOver;
    if (!document.hidden) {
      try {
        await look(select.value, () => mine === turn);
      } catch {
        // The line above the figures says that the page is not connected.
      }
    }
    if (mine === turn && !(wasOver && !document.hidden)) setTimeout(again, performance.now() < hurryUntilMs ? HURRY_MS : POLL_MS, mine);
  };
  const begin = () => again(++turn);
  select.addEventListener("change", begin);
  begin();
  return begin;
}

let heard = { node: null, next: 0 };
const openLine = document.createTextNode("");
const listen = follow(at("console-node"), terminal ? showTerminal : showText);

async function showTerminal(node, isWanted) {
  if (heard.node !== node) {
    heard = { node, next: 0 };
    terminal.reset();
  }
  const said = await asked(`terminal?node=${encodeURIComponent(node)}&from=${heard.next}`);
  if (!isWanted() || said.next === heard.next) return;
  if (said.is_cut) terminal.write("… left out; see the file …\r\n");
  terminal.write(bytesOf(said.data));
  heard.next = said.next;
}

async function showText(node, isWanted) {
  const pane = at("console");
  if (heard.node !== node) {
    heard = { node, next: 0 };
    openLine.data = "";
    pane.replaceChildren(openLine);
  }
  const said = await asked(`console?node=${encodeURIComponent(node)}&from=${heard.next}`);
  if (!isWanted() || (said.next === heard.next && said.open_line === openLine.data)) return;
  const isAtEnd = pane.scrollTop + pane.clientHeight >= pane.scrollHeight - 8;
  if (said.is_cut) pane.insertBefore(document.createTextNode("… left out; see the file …\n"), openLine);
  pane.insertBefore(document.createTextNode(said.lines), openLine);
  openLine.data = said.open_line;
  heard.next = said.next;
  while (pane.textContent.length > MOST_CONSOLE_CHARACTERS && pane.childNodes.length > 2) pane.firstChild.remove();
  if (isAtEnd) pane.scrollTop = pane.scrollHeight;
}
