// Reading the passage: it opens at the answer, a word can be found in it, and size and line spacing are remembered.

import { announce } from "./page.js";
import { sentencesOf } from "./passage.js";

const root = document.documentElement;
const source = document.getElementById("source");
const passage = source?.querySelector(".passage");
const tools = source?.querySelector("[data-reading]");
const expand = source?.querySelector(".expand");
const SIZES = 4;
const SPACINGS = 3;
const OVERHANG = 4; // pixels by which letters may be higher than their line
let openedAt = 0; // the place in the passage that the page, not its reader, scrolled to

function around(elements) {
  const range = document.createRange();
  range.setStartBefore(elements[0]);
  range.setEndAfter(elements.at(-1));
  return range;
}

// The material may not say which sentence holds the answer. A single end of a line ends no sentence. The language makes hardly
// a difference here, and a dataset may name it by a tag that browsers refuse.
function sentenceAround(marked) {
  const text = passage.textContent.replace(/([^\n])\n(?=[^\n])/g, "$1 ");
  const before = document.createRange();
  before.setStart(passage, 0);
  before.setEnd(marked.startContainer, marked.startOffset);
  const start = before.toString().length;
  const end = start + marked.toString().length;
  const touched = sentencesOf(text).filter(([from, to]) => from < end && to > start);
  return touched.length ? rangeOf(touched[0][0], touched.at(-1)[1] - touched[0][0]) : marked;
}

// What to show of the passage: the answer, and the sentence around it. Either is the other where it is not known.
function places() {
  const marks = [...passage.querySelectorAll("mark")];
  const given = [...passage.querySelectorAll(".sentence")];
  const answer = marks.length ? around(marks) : null;
  const isGiven = given.length && (!answer || passage.querySelector(".sentence mark"));
  const sentence = isGiven ? around(given) : answer && sentenceAround(answer);
  return sentence && { sentence, answer: answer ?? sentence };
}

// The line box of a text's first or last line is not as high as its letters' box.
function linesOf(range, line) {
  const { top, bottom } = range.getBoundingClientRect();
  const inset = (line - (range.getClientRects()[0]?.height ?? line)) / 2;
  return { top: top - inset, bottom: bottom + inset };
}

// The sentence is in the middle, with whole lines above it. Of one that is higher than the room, the lines that end with the
// answer are in view.
function openAtAnswer() {
  const found = passage && source.scrollHeight > source.clientHeight && places();
  if (!found) return;
  const line = parseFloat(getComputedStyle(passage).lineHeight);
  const sentence = linesOf(found.sentence, line);
  const answer = linesOf(found.answer, line);
  const top = source.getBoundingClientRect().top + source.clientTop;
  const room = source.clientHeight - source.querySelector(".beneath").offsetHeight; // which lies over the end
  const above = Math.floor(Math.max(0, room - (sentence.bottom - sentence.top)) / 2 / line) * line;
  const start = sentence.top - top - above;
  const hidden = Math.max(0, answer.bottom - top - start - room); // of the answer, below the room
  source.scrollTop += Math.min(start + Math.ceil(hidden / line) * line, answer.top - top);
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

// ---- what scrolls by itself is a stop for Tab, so that arrows scroll it; nothing else of it is

function refreshStops(entries) {
  for (const { target } of entries) {
    const scrolls = getComputedStyle(target).overflowY === "auto" && target.scrollHeight - target.clientHeight > OVERHANG;
    if (scrolls) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
}

function watchStops() {
  const observer = new ResizeObserver(refreshStops);
  for (const part of document.querySelectorAll(".asked dd, .question > header")) observer.observe(part);
}

export function startReading() {
  watchStops();
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
