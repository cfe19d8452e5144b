import assert from "node:assert/strict";
import { test } from "node:test";
import { criterion, open, question } from "./page.js";

async function opened({ view = "list", on = true, questions } = {}) {
  const page = await open({ view, questions: questions ?? [question("A", criterion("q1.clear"), criterion("q1.right", { points: [1, 2, 9] })), question("B", criterion("q2.clear"))] });
  const [marker, keyboard, looks] = [await page.module("marker"), await page.module("keyboard"), await page.module("view")];
  const changes = [];
  const done = [];
  page.form.addEventListener("change", ({ target }) => changes.push([target.name, target.value]));
  looks.startView();
  marker.startMarking(looks.follow);
  marker.mark(marker.missing()[0]);
  keyboard.startKeyboard({ submit: () => done.push("submit") > 0, help: () => done.push("help") > 0 });
  const toggle = page.window.document.getElementById("shortcuts");
  toggle.checked = on;
  const press = (key, options = {}, target = page.window.document.activeElement) => {
    const event = new page.window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...options });
    target.dispatchEvent(event);
    return event.defaultPrevented;
  };
  return { ...page, marker, changes, done, press, toggle, at: () => marker.marked()?.dataset.criterion };
}

test("a digit answers the marked criterion and moves on", async () => {
  const page = await opened();

  assert.equal(page.press("2"), true);

  assert.deepEqual(page.changes, [["q1.clear", "2"]]);
  assert.equal(page.at(), "q1.right");
});

test("after the last answer no criterion is marked: a digit too many overwrites nothing", async () => {
  const page = await opened();

  for (const key of ["2", "9", "3", "1"]) page.press(key);

  assert.deepEqual(page.changes, [["q1.clear", "2"], ["q1.right", "9"], ["q2.clear", "3"]]);
  assert.equal(page.at(), undefined);
});

test("a digit that is no value of the criterion does nothing", async () => {
  const page = await opened();

  assert.equal(page.press("7"), false);
  assert.deepEqual([page.changes, page.at()], [[], "q1.clear"]);
});

test("J and K move between criteria and stop at both ends", async () => {
  const page = await opened();

  for (let times = 0; times < 3; times += 1) page.press("j");
  assert.equal(page.at(), "q2.clear");

  for (let times = 0; times < 5; times += 1) page.press("k");
  assert.equal(page.at(), "q1.clear");
});

test("letters lead to questions, unknown ones nowhere", async () => {
  const page = await opened();

  assert.equal(page.press("b"), true);
  assert.equal(page.at(), "q2.clear");
  assert.equal(page.press("x"), false);
});

test("Enter submits, and a question mark opens the help", async () => {
  const page = await opened();

  page.press("Enter");
  page.press("?");

  assert.deepEqual(page.done, ["submit", "help"]);
});

test("switched off, digits, letters and arrows are the browser's, and Enter still submits", async () => {
  const page = await opened({ on: false });

  assert.deepEqual(["2", "b", "ArrowDown", "?"].map((key) => page.press(key)), [false, false, false, false]);
  page.press("Enter");

  assert.deepEqual([page.changes, page.done, page.at()], [[], ["submit"], "q1.clear"]);
});

test("keys that are held, belong to a shortcut of the browser, or are typed into a text do nothing", async () => {
  const page = await opened();
  const note = page.form.elements.note;

  for (const options of [{ repeat: true }, { ctrlKey: true }, { altKey: true }, { metaKey: true }, { shiftKey: true }, { isComposing: true }]) page.press("2", options);
  page.press("2", {}, note);
  page.press("Enter", {}, note);

  assert.deepEqual([page.changes, page.done], [[], []]);
});

test("a held arrow or Enter on an answer is swallowed: the browser would change or submit by it", async () => {
  const page = await opened();
  const radio = page.form.querySelector("[name='q1.clear']");

  assert.equal(page.press("ArrowDown", { repeat: true }, radio), true);
  assert.equal(page.press("Enter", { repeat: true }, radio), true);
  assert.deepEqual(page.done, []);
});

test("a locked criterion takes no digit, and J passes it by", async () => {
  const page = await opened({ questions: [question("A", criterion("q1.clear"), criterion("q1.right", { checked: 3, locked: "why" }), criterion("q1.last"))] });

  page.press("j");

  assert.equal(page.at(), "q1.last");
});

test("whether keys are on is remembered", async () => {
  const page = await opened();

  page.toggle.checked = false;
  page.toggle.dispatchEvent(new page.window.Event("change"));

  assert.equal(localStorage.getItem("quaestor.shortcuts"), "off");
  assert.equal(page.window.document.querySelector("[data-keys]").hidden, true);
});

test("with one question in view the button leads to the next that lacks an answer, and says so", async () => {
  const page = await opened({ view: "focus" });
  const label = page.form.querySelector(".dock [data-label]");

  assert.equal(label.textContent, "Next: B");
  page.press("b");
  assert.equal(label.textContent, "Next: A");
  const shown = () => [...page.form.querySelectorAll(".shown")].map((each) => each.dataset.item);
  assert.deepEqual(shown(), ["B"]);
});

test("the next question is the one after the one in view, and after the last the first", async () => {
  const page = await opened({ view: "focus", questions: ["A", "B", "C"].map((letter, at) => question(letter, criterion(`q${at + 1}.clear`))) });
  const { nextQuestion } = await page.module("view");

  assert.equal(nextQuestion().dataset.criterion, "q2.clear");
  page.press("b");
  assert.equal(nextQuestion().dataset.criterion, "q3.clear");
  page.press("c");
  assert.equal(nextQuestion().dataset.criterion, "q1.clear");
});

test("of a question reported as broken nothing is missing", async () => {
  const page = await opened();

  page.form.elements["broken.A"].value = "no verb";

  assert.deepEqual(page.marker.missing().map((each) => each.dataset.criterion), ["q2.clear"]);
});
