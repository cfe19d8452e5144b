// Reading the passage: it opens at the answer, a word can be found in it, and size and line spacing are remembered.

import { announce } from "./page.js";

const root = document.documentElement;
const source = document.getElementById("source");
const passage = source?.querySelector(".passage");
const tools = source?.querySelector("[data-reading]");
const expand = source?.querySelector(".expand");
const SIZES = 4;
const SPACINGS = 3;
let openedAt = 0; // the place in the passage that the page, not its reader, scrolled to

function openAtAnswer() {
  const place = passage?.querySelector("mark, .sentence");
  if (!place || source.scrollHeight <= source.clientHeight) return;
  const box = place.getBoundingClientRect();
  const frame = source.getBoundingClientRect();
  source.scrollTop += box.top - frame.top - Math.max(frame.height * 0.3, (frame.height * 0.6 - box.height) / 2);
  openedAt = source.scrollTop;
}

// ---- small screens: the passage takes the room beside the open criterion, or all of it

function refreshExpand() {
  const isWhole = root.dataset.passage === "whole";
  expand.hidden = !isWhole && source.scrollHeight <= source.clientHeight;
  expand.textContent = isWhole ? expand.dataset.less : expand.dataset.more;
  expand.setAttribute("aria-expanded", String(isWhole));
}

function showWholePassage(isWhole) {
  if (isWhole) root.dataset.passage = "whole";
  else delete root.dataset.passage;
  openAtAnswer();
  refreshExpand();
}

// Called when an answer is given or another criterion is marked.
export function showQuestions() {
  if (root.dataset.passage) showWholePassage(false);
}

// ---- size and spacing

function turn(name, count) {
  root.dataset[name] = String((Number(root.dataset[name]) + 1) % count);
  try {
    localStorage.setItem(`quaestor.${name}`, root.dataset[name]);
  } catch {
    // Not remembered, then.
  }
  openAtAnswer();
}

// ---- find

let found = [];
let at = -1;

function rangeOf(start, length) {
  const range = document.createRange();
  const walker = document.createTreeWalker(passage, NodeFilter.SHOW_TEXT);
  let before = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const end = before + node.data.length;
    if (start >= before && start < end) range.setStart(node, start - before);
    if (start + length > before && start + length <= end) {
      range.setEnd(node, start + length - before);
      return range;
    }
    before = end;
  }
  return range;
}

function search(words) {
  const text = passage.textContent.toLowerCase();
  const wanted = words.trim().toLowerCase();
  found = [];
  for (let place = wanted ? text.indexOf(wanted) : -1; place >= 0; place = text.indexOf(wanted, place + wanted.length)) found.push(rangeOf(place, wanted.length));
  at = -1;
  if ("highlights" in CSS) CSS.highlights.set("found", new Highlight(...found));
}

function showNext(output) {
  if (!found.length) {
    output.textContent = tools.querySelector("input").value.trim() ? output.dataset.none : "";
    return announce(output.textContent);
  }
  at = (at + 1) % found.length;
  if ("highlights" in CSS) CSS.highlights.set("here", new Highlight(found[at]));
  const box = found[at].getBoundingClientRect();
  const frame = source.getBoundingClientRect();
  source.scrollTop += box.top - frame.top - frame.height / 3;
  output.textContent = `${at + 1} / ${found.length}`;
  return announce(output.textContent);
}

function startFinding() {
  const input = tools.querySelector("input");
  const output = tools.querySelector("output");
  let searched = "";
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (input.value !== searched) search((searched = input.value));
    showNext(output);
  });
  input.addEventListener("input", () => {
    search((searched = input.value));
    output.textContent = "";
  });
}

export function startReading() {
  document.querySelector("[data-type]").hidden = false;
  for (const button of document.querySelectorAll("[data-turn]")) {
    button.addEventListener("click", () => turn(button.dataset.turn, button.dataset.turn === "size" ? SIZES : SPACINGS));
  }
  if (!passage) return;
  expand.addEventListener("click", () => showWholePassage(!root.dataset.passage));
  if (tools) {
    tools.hidden = false;
    startFinding();
  }
  openAtAnswer();
  let width = source.clientWidth;
  new ResizeObserver(() => {
    refreshExpand();
    // a turned phone breaks lines elsewhere; on small screens the next criterion may need more room than the last
    if (source.clientWidth !== width || source.scrollTop === openedAt) openAtAnswer();
    width = source.clientWidth;
  }).observe(source);
}
