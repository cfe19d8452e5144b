import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";
import { criterion, open, question } from "./page.js";

const MINUTE = 60_000;
const opened = async () => {
  const page = await open({ questions: [question("A", criterion("q1.clear"))] });
  const { startResting } = await page.module("resting");
  const hint = page.window.document.getElementById("rest");
  const answerAt = (minutes) => {
    mock.timers.setTime(minutes * MINUTE);
    page.form.dispatchEvent(new page.window.Event("change", { bubbles: true }));
  };
  mock.timers.enable({ apis: ["Date"], now: 0 });
  startResting();
  return { ...page, hint, answerAt };
};

afterEach(() => mock.timers.reset());

test("after 25 minutes of answers without a break a rest is suggested, and said", async () => {
  const { announced, answerAt, hint } = await opened();
  for (let minute = 4; minute <= 24; minute += 4) answerAt(minute);
  assert.equal(hint.hidden, true);

  answerAt(25);

  assert.equal(hint.hidden, false);
  assert.equal(announced(), "Rest.");
});

test("whoever rested for five minutes begins anew", async () => {
  const { answerAt, hint } = await opened();
  for (let minute = 4; minute <= 24; minute += 4) answerAt(minute);

  answerAt(29);
  answerAt(33);

  assert.equal(hint.hidden, true);
});

test("who goes on is left alone for as long again", async () => {
  const { answerAt, hint } = await opened();
  for (let minute = 4; minute <= 28; minute += 4) answerAt(minute);
  assert.equal(hint.hidden, false);

  hint.querySelector("button").click();
  for (let minute = 32; minute <= 52; minute += 4) answerAt(minute);
  assert.equal(hint.hidden, true);

  answerAt(54);
  assert.equal(hint.hidden, false);
});

test("who goes on is at the criterion that is marked, or else at the button that submits", async () => {
  const { form, hint, module } = await opened();
  const { mark } = await module("marker");

  hint.querySelector("button").click();
  assert.equal(document.activeElement.value, "submit");

  mark(form.querySelector("fieldset"));
  hint.querySelector("button").click();
  assert.equal(document.activeElement.name, "q1.clear");
});

test("a clock that was set back, and what others wrote there, count for nothing", async () => {
  const { answerAt, hint, module } = await opened();
  const { workedOn } = await module("resting");
  assert.deepEqual(workedOn(5, { began: 1, last: 10 }), { began: 5, last: 5 });
  localStorage.setItem("quaestor-at-work", '{"began": "x"}');

  answerAt(60);

  assert.equal(hint.hidden, true);
});
