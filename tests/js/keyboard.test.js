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
  let now = 0; // each press comes a second after the last one, unless a test says when
  const press = (key, { at = now + 1000, ...options } = {}, target = page.window.document.activeElement) => {
    now = at;
    const event = new page.window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...options });
    target.dispatchEvent(Object.defineProperty(event, "timeStamp", { value: at }));
    return event.defaultPrevented;
  };
  const fieldset = (name) => page.form.querySelector(`fieldset[data-criterion="${name}"]`);
  return { ...page, criterion: fieldset, marker, changes, done, press, toggle, at: () => marker.marked()?.dataset.criterion };
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

for (const times of [[5000, 5000], [5000, 5060], [5000, 5100], [5000, 5060, 5120]]) {
  test(`keyboard, same digit at ${times} ms, counts once`, async () => {
    const page = await opened();

    assert.deepEqual(times.map((at) => page.press("2", { at })), times.map(() => true));

    assert.deepEqual([page.changes, page.at()], [[["q1.clear", "2"]], "q1.right"]);
  });
}

test("keyboard, same digit in the number it moved on to, is not entered", async () => {
  const number = '<fieldset data-criterion="q1.count" data-required><legend><b><span data-name>count</span></b></legend><input type="number" name="q1.count"></fieldset>';
  const page = await opened({ questions: [question("A", criterion("q1.clear"), number)] });

  page.press("2", { at: 5000 });

  assert.equal(page.window.document.activeElement.name, "q1.count");
  assert.equal(page.press("2", { at: 5060 }), true);
  assert.equal(page.press("2", { at: 5260 }), false);
});

test("keyboard, same digit 200 ms apart, counts twice", async () => {
  const page = await opened();

  page.press("2", { at: 5000 });
  page.press("2", { at: 5200 });

  assert.deepEqual(page.changes, [["q1.clear", "2"], ["q1.right", "2"]]);
});

test("keyboard, other digit at once, counts", async () => {
  const page = await opened();

  page.press("2", { at: 5000 });
  page.press("1", { at: 5010 });

  assert.deepEqual(page.changes, [["q1.clear", "2"], ["q1.right", "1"]]);
});

for (const view of ["list", "focus"]) {
  test(`keyboard, digit in a focused criterion that is not marked, answers it (${view})`, async () => {
    const page = await opened({ view });
    page.press("2");
    page.press("1");
    page.marker.goTo(page.criterion("q2.clear"));
    page.criterion("q1.clear").querySelector(".change").focus();
    page.marker.mark(page.criterion("q2.clear"));

    page.press("3");

    assert.deepEqual(page.changes.at(-1), ["q1.clear", "3"]);
    assert.equal(page.at(), "q2.clear");
  });
}

test("keyboard, digit in a locked criterion, answers no other one", async () => {
  const page = await opened({ questions: [question("A", criterion("q1.clear", { checked: 3, locked: "why" }), criterion("q1.right"))] });
  const inside = page.criterion("q1.clear");
  inside.tabIndex = -1;
  inside.focus();
  page.marker.mark(page.criterion("q1.right"));

  assert.equal(page.press("2"), false);
  assert.deepEqual(page.changes, []);
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
