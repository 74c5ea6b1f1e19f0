// SPDX-License-Identifier: BSD-3-Clause
// The files that viewers show: asked for when the page begins, and a few times after the run has ended, as its
// timeline is written then.
const AFTER_MS = [1000, 4000, 15_000, 60_000];

async function showOffered() {
  let told;
  try {
    told = await asked("files");
  } catch {
    return; // The line above the figures says that the page is not connected.
  }
  at("view-table").tBodies[0].replaceChildren(...told.files.map(offeredRow));
  at("views-more").hidden = !told.left_out;
  at("views-more").textContent = `${told.left_out} more are in the results folder.`;
}

function offeredRow([name, size, viewer, address]) {
  const made = row(["", size, viewer], [0, 2]), link = document.createElement("a");
  link.href = address;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  link.textContent = name;
  made.cells[0].append(link);
  return made;
}

showOffered();
document.addEventListener("over", () => { for (const after of AFTER_MS) setTimeout(showOffered, after); });
