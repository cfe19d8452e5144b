// The whole keyboard: a digit answers the focused criterion, or else the marked one, and moves on; arrows choose an option as in
// any group of radio buttons; J and K (or Page Down and Page Up) move between criteria; letters lead to questions; Backspace or
// Ctrl+Z takes the last answer back; Enter submits; ? helps.

import { isOver } from "./elsewhere.js";
import { isFrozen } from "./page.js";
import { goOn, goTo, mark, marked, move } from "./marker.js";
import { openLetter } from "./view.js";

const steps = { j: 1, k: -1, PageDown: 1, PageUp: -1 };
const BOUNCE_TIME = 100; // ms within which the same digit counts once
const arrows = ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"];
const toggle = document.getElementById("shortcuts");
const hint = document.querySelector("[data-keys]");
let lastAnswer = { key: "", at: -Infinity };

const isText = (target) => target.matches("textarea, select, input:not([type=radio], [type=checkbox])") || target.isContentEditable;
const hasOwnEnter = (target) => target.closest("a, button, summary, [type=checkbox]:not([data-nothing])");
const isElsewhere = (event) =>
  event.repeat || event.isComposing || event.ctrlKey || event.altKey || event.metaKey || isText(event.target) || document.querySelector("dialog[open]");

// A held arrow or Enter would reach the browser, which changes or submits a radio button by it.
const isHeld = (event) => toggle.checked && event.repeat && event.target.matches("[type=radio]") && (arrows.includes(event.key) || event.key === "Enter");

// A worn key sends one press twice, and the second may reach the number that the first has moved on to. The times of the events
// are compared, because a busy page may run both of them late.
function isBounce({ key, timeStamp }) {
  if (key !== lastAnswer.key || timeStamp - lastAnswer.at > BOUNCE_TIME) return false;
  lastAnswer = { key, at: timeStamp };
  return true;
}

function answer(event) {
  // In a question's summary a button has the focus, but no criterion is open: a digit overwrites nothing.
  const fieldset = marked() && (event.target.closest("fieldset[data-criterion]") ?? marked());
  if (!fieldset || isFrozen(fieldset)) return false;
  const point = fieldset.querySelector(`label[data-key="${CSS.escape(event.key)}"] input`);
  if (!point) return false;
  lastAnswer = { key: event.key, at: event.timeStamp };
  mark(fieldset);
  point.checked = true;
  point.dispatchEvent(new Event("change", { bubbles: true }));
  goOn();
  return true;
}

// Where nothing has the focus an arrow leads to the options; from there the browser's own arrows choose. A digit leads to the
// number that is asked, which the browser then types it into.
function enterOptions(target) {
  if (!marked() || !target.matches("body, h1")) return false;
  goTo(marked());
  return true;
}

const isUndo = (event) =>
  toggle.checked && (event.ctrlKey || event.metaKey) && event.key === "z" && !isText(event.target) && !document.querySelector("dialog[open]");

// Switched off, nothing but Enter is taken from the browser: single characters may be speech (WCAG 2.1.4), and arrows are native.
function act(event, { submit, help, undo }) {
  const { key } = event;
  if (!toggle.checked && key !== "Enter") return false;
  if (key === "?") return help();
  if (key === "Enter") return !hasOwnEnter(event.target) && submit();
  if (key === "Backspace") return undo();
  if (arrows.includes(key)) return enterOptions(event.target);
  const isReading = Boolean(event.target.closest("#source"));
  if (key in steps) return !isReading && (move(steps[key]) ?? true);
  if (/^[a-z]$/.test(key) && !isReading && openLetter(key)) return true;
  if (/^\d$/.test(key) && marked()?.querySelector("[type=number]")) enterOptions(event.target);
  return !event.shiftKey && answer(event);
}

function remember() {
  try {
    localStorage.setItem("quaestor.shortcuts", toggle.checked ? "on" : "off");
  } catch {
    // Not remembered, then.
  }
  hint.hidden = !toggle.checked;
}

function recall() {
  try {
    toggle.checked = localStorage.getItem("quaestor.shortcuts") !== "off";
  } catch {
    toggle.checked = true;
  }
  hint.hidden = !toggle.checked;
}

export function startKeyboard(doors) {
  recall();
  toggle.addEventListener("change", remember);
  document.addEventListener("keydown", (event) => {
    if (isOver()) return;
    if (isBounce(event) || (isUndo(event) && doors.undo()) || isHeld(event) || (!isElsewhere(event) && act(event, doors))) event.preventDefault();
  });
}
