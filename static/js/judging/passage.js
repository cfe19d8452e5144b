// The passage as a text with places: what is selected in it, where its words are, and what is painted on it.
// Places here are the browser's; toStored and fromStored translate them into the code points that the server keeps.

export const passage = document.querySelector("#source .passage[data-returns]");
const MARGIN = 24; // pixels kept around what is selected
const text = passage?.textContent ?? "";
const returns = (passage?.dataset.returns ?? "").split(" ").filter(Boolean).map(Number);

// A browser counts halves of pairs beyond the BMP, and knows line ends of one character only: `returns` lists the others.
export function toStored(place) {
  let points = [...text.slice(0, place)].length;
  for (const at of returns) if (points > at) points += 1;
  return points;
}

export function fromStored(point) {
  const shown = point - returns.filter((at) => at < point).length;
  return [...text].slice(0, shown).join("").length;
}

export const textOf = ([start, end]) => text.slice(fromStored(start), fromStored(end));

// ---- words

function cut() {
  if (!("Segmenter" in Intl)) return [...text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].map((word) => [word.index, word.index + word[0].length]);
  const segments = new Intl.Segmenter(passage.lang || undefined, { granularity: "word" }).segment(text);
  return [...segments].filter((word) => word.isWordLike).map((word) => [word.index, word.index + word.segment.length]);
}

let known = null;
export const words = () => (known ??= cut());

export function wordAt(x, y) {
  const caret = document.caretPositionFromPoint?.(x, y) ?? document.caretRangeFromPoint?.(x, y);
  const node = caret?.offsetNode ?? caret?.startContainer;
  if (!node || !passage.contains(node)) return -1;
  const place = placeOf(node, caret.offset ?? caret.startOffset);
  return words().findIndex(([start, end]) => start <= place && place <= end);
}

// A range widened to whole words: a mouse ends in the middle of them.
export function snapped([start, end]) {
  const touched = words().filter(([from, to]) => from < end && to > start);
  return touched.length ? [Math.min(start, touched[0][0]), Math.max(end, touched.at(-1)[1])] : [start, end];
}

export function sentencesOf(whole, lang) {
  if (!("Segmenter" in Intl)) return [...whole.matchAll(/[^.!?\n]+[.!?]*\s*/gu)].map((found) => [found.index, found.index + found[0].length]);
  const segments = new Intl.Segmenter(lang || undefined, { granularity: "sentence" }).segment(whole);
  return [...segments].map((found) => [found.index, found.index + found.segment.length]);
}

// Sentences as the numbers of their first and last words.
let knownSentences = null;
export const sentences = () =>
  (knownSentences ??= sentencesOf(text, passage.lang)
    .map(([start, end]) => words().flatMap(([from], number) => (from >= start && from < end ? [number] : [])))
    .filter((numbers) => numbers.length)
    .map((numbers) => [numbers[0], numbers.at(-1)]));

// ---- places and nodes

function placeOf(node, offset) {
  const before = document.createRange();
  before.setStart(passage, 0);
  before.setEnd(node, offset);
  return before.toString().length;
}

function pointAt(place) {
  const walker = document.createTreeWalker(passage, NodeFilter.SHOW_TEXT);
  let left = place;
  let node = walker.nextNode();
  while (node && left > node.data.length) {
    left -= node.data.length;
    node = walker.nextNode();
  }
  return [node, left];
}

function rangeOf([start, end]) {
  const range = document.createRange();
  range.setStart(...pointAt(start));
  range.setEnd(...pointAt(end));
  return range;
}

// ---- what is selected

function trimmed(start, end) {
  while (start < end && /\s/.test(text[start])) start += 1;
  while (start < end && /\s/.test(text[end - 1])) end -= 1;
  return start < end ? [start, end] : null;
}

export function selected() {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const isInside = (node) => passage.contains(node);
  if (!range.intersectsNode(passage)) return null;
  const start = isInside(range.startContainer) ? placeOf(range.startContainer, range.startOffset) : 0;
  const end = isInside(range.endContainer) ? placeOf(range.endContainer, range.endOffset) : text.length;
  return trimmed(start, end);
}

export function select([start, end]) {
  getSelection().setBaseAndExtent(...pointAt(start), ...pointAt(end));
  bringIntoView(rangeOf([start, end]).getBoundingClientRect());
}

// The passage scrolls by itself beside the questions, and with the page above them; its tools and the dock lie over its end.
function bringIntoView(box) {
  const frame = passage.closest("#source");
  const isOwn = frame.scrollHeight > frame.clientHeight && getComputedStyle(frame).overflowY === "auto";
  const top = Math.max(0, isOwn ? frame.getBoundingClientRect().top : 0);
  const end = document.getElementById("marking")?.getBoundingClientRect().top ?? innerHeight;
  const by = box.top < top ? box.top - top - MARGIN : Math.max(0, box.bottom - Math.min(end, innerHeight) + MARGIN);
  (isOwn ? frame : window).scrollBy({ top: by, behavior: "instant" });
}

export const unselect = () => getSelection().removeAllRanges();

// Ranges of stored code points; browsers that cannot paint them still list them beside the question.
export function paint(ranges) {
  if (!("highlights" in CSS)) return;
  const shown = ranges.map(([start, end]) => rangeOf([fromStored(start), fromStored(end)]));
  CSS.highlights.set("kept", new Highlight(...shown));
}
