// Marking the pieces of the passage that answer a question. By mouse: select and keep. By touch: tap the first and the last
// word and keep. By keyboard: arrows go from word to word and up and down from sentence to sentence, Shift extends, Enter keeps,
// Escape goes back. Marks snap to words, unless exact characters are asked for.

import { announce, form, isFrozen, item } from "./page.js";
import { goOn, goTo, mark, marked } from "./marker.js";
import { paint, passage, select, selected, sentences, snapped, textOf, toStored, unselect, wordAt, words } from "./passage.js";

const tools = document.getElementById("marking");
const piece = document.getElementById("kept-piece");
const fieldsets = () => [...form.querySelectorAll("fieldset[data-span]")];
const hidden = (fieldset) => fieldset.querySelector("input[type=hidden]");
const nothing = (fieldset) => fieldset.querySelector("[data-nothing]");
const isForward = passage && getComputedStyle(passage).direction !== "rtl";
const isExact = () => tools.querySelector("[data-exact]").checked;
let cursor = null; // the words where a selection by tapping or by keys begins and ends
let onChange = () => {};

// ---- what is kept

const read = (value) => (value && value !== "none" ? value.split(" ").map((range) => range.split("-").map(Number)) : []);
const rangesOf = (fieldset) => read(hidden(fieldset).value);

function joined(ranges) {
  const found = [];
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = found.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}

function write(fieldset, value) {
  hidden(fieldset).value = value;
  show(fieldset);
  repaint();
  onChange(hidden(fieldset).name, value);
}

const writeRanges = (fieldset, ranges) => write(fieldset, joined(ranges).map((range) => range.join("-")).join(" "));

// ---- what is shown

const END = 120; // characters shown of a long mark where it begins, and where it ends

function endsOf(range) {
  const [start, end] = range;
  return end - start <= 2 * END ? textOf(range) : `${textOf([start, start + END])} … ${textOf([end - END, end])}`;
}

function line(range) {
  const shown = piece.content.firstElementChild.cloneNode(true);
  const button = shown.querySelector("button");
  shown.querySelector("q").textContent = endsOf(range);
  button.value = button.dataset.remove = range.join("-");
  button.setAttribute("aria-label", `${button.getAttribute("aria-label")} ${endsOf(range)}`);
  return shown;
}

function show(fieldset) {
  nothing(fieldset).checked = hidden(fieldset).value === "none";
  if (passage && !isFrozen(fieldset)) fieldset.querySelector("[data-kept]").replaceChildren(...rangesOf(fieldset).map(line));
}

const current = () => marked() && item(marked()).querySelector("fieldset[data-span]");

export function repaint() {
  const fieldset = current();
  if (!passage || !tools) return;
  paint(fieldset ? rangesOf(fieldset) : []);
  for (const name of tools.querySelectorAll("[data-letter]")) name.textContent = fieldset ? item(fieldset).dataset.item : "";
  const question = fieldset && item(fieldset).querySelector("h2.text > [dir]");
  tools.querySelector("[data-question]").textContent = question?.textContent ?? "";
  tools.hidden = !fieldset || isFrozen(fieldset);
}

export function showSpans() {
  if (!passage) return;
  fieldsets().forEach(show);
  repaint();
}

// ---- marking

function showTools() {
  for (const button of tools.querySelectorAll("[data-keep], [data-cancel]")) button.hidden = !selected();
}

function cancel() {
  cursor = null;
  unselect();
}

function keep() {
  const [fieldset, chosen] = [current(), selected()];
  if (!fieldset || isFrozen(fieldset) || !chosen) return;
  const range = (isExact() ? chosen : snapped(chosen)).map(toStored);
  const wasEmpty = !rangesOf(fieldset).length;
  cancel();
  writeRanges(fieldset, [...rangesOf(fieldset), range]);
  announce(`${tools.dataset.kept} ${textOf(range)}`);
  if (wasEmpty) goOn(); // who wants to mark more than one piece comes back
  else passage.focus({ preventScroll: true });
}

function goBack() {
  cancel();
  goOn();
}

function selectWords() {
  const [first, last] = [cursor.anchor, cursor.focus].sort((a, b) => a - b);
  const chosen = [words()[first][0], words()[last][1]];
  select(chosen);
  announce(textOf(chosen.map(toStored)));
}

function stepTo(word, isExtending) {
  const place = Math.min(Math.max(word, 0), words().length - 1);
  cursor = { anchor: isExtending && cursor ? cursor.anchor : place, focus: place };
  selectWords();
}

function begin(fieldset) {
  mark(fieldset);
  repaint();
  passage.focus({ preventScroll: true });
  if (!cursor && words().length) stepTo(0);
}

const steps = () => ({ ArrowRight: isForward ? 1 : -1, ArrowLeft: isForward ? -1 : 1 });
// The first press takes the sentence the selection is in, each further one the next; Shift adds it.
function stepBySentence(step, isExtending) {
  const all = sentences();
  const at = Math.max(0, all.findIndex(([, last]) => (cursor?.focus ?? 0) <= last));
  const isTaken = cursor?.sentence;
  const [first, last] = all[Math.min(Math.max(isTaken ? at + step : at, 0), all.length - 1)];
  cursor = { anchor: isExtending && isTaken ? Math.min(cursor.anchor, first) : first, focus: last, sentence: true };
  selectWords();
}

const ends = () => ({ Home: 0, End: words().length - 1 });

function press(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || !words().length) return false;
  if (event.key in steps()) stepTo((cursor?.focus ?? -1) + steps()[event.key], event.shiftKey);
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") stepBySentence(event.key === "ArrowDown" ? 1 : -1, event.shiftKey);
  else if (event.key in ends()) stepTo(ends()[event.key], event.shiftKey);
  else if (event.key === "Enter") keep();
  else if (event.key === "Escape") goBack();
  else return false;
  return true;
}

// ---- doors

function remove(fieldset, range) {
  writeRanges(fieldset, rangesOf(fieldset).filter((each) => each.join("-") !== range));
  goTo(fieldset);
}

function click(event) {
  const fieldset = event.target.closest("fieldset[data-span]");
  const button = event.target.closest("button[data-remove]");
  if (button) {
    event.preventDefault();
    return remove(fieldset, button.dataset.remove);
  }
  if (event.target.closest("[data-begin]")) return begin(fieldset);
  const own = event.target.closest("[data-item]")?.querySelector("fieldset[data-span]");
  if (own && own !== current()) {
    mark(own);
    repaint();
  }
}

function tap(event) {
  const word = event.pointerType === "touch" ? wordAt(event.clientX, event.clientY) : -1;
  if (word >= 0) stepTo(word, true);
}

// Whoever has pressed the mouse selects anew; a finger goes on from the word it tapped first.
function forget(event) {
  if (event.pointerType !== "touch" || !event.target.closest("#source")) cursor = null;
}

// What the mouse has selected is shown as it would be kept.
function snapSelection(event) {
  const chosen = event.pointerType !== "touch" && !isExact() && selected();
  if (chosen && passage.contains(event.target)) select(snapped(chosen));
}

function listen() {
  passage.addEventListener("pointerup", (event) => setTimeout(() => snapSelection(event)));
  passage.addEventListener("keydown", (event) => {
    if (!press(event)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  passage.addEventListener("click", tap);
  document.addEventListener("pointerdown", forget);
  document.addEventListener("selectionchange", showTools);
  tools.querySelector("[data-keep]").addEventListener("click", keep);
  tools.querySelector("[data-cancel]").addEventListener("click", () => {
    cancel();
    passage.focus({ preventScroll: true }); // the button vanishes
  });
  tools.querySelector("[data-back]").addEventListener("click", goBack);
  form.addEventListener("click", click);
  form.addEventListener("focusin", repaint);
}

function pressInPaste(event) {
  if (event.key !== "Enter" || !event.target.matches("[data-paste] input")) return;
  const button = event.target.closest("[data-paste]").querySelector("button");
  event.preventDefault();
  form.requestSubmit(button);
}

export function setNothing(fieldset, isNothing) {
  write(fieldset, isNothing ? "none" : "");
}

export function startSpans(change) {
  onChange = change;
  form.addEventListener("keydown", pressInPaste);
  if (!passage || !tools) return;
  for (const button of form.querySelectorAll("[data-begin]")) button.hidden = false;
  listen();
  showTools();
  repaint();
}
