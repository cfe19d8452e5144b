import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { criterion, open, question } from "./page.js";

async function opened() {
  const page = await open({ questions: [question("A", criterion("q1.clear"), criterion("q1.right"))] });
  const pointer = await page.module("pointer");
  const frames = [];
  globalThis.requestAnimationFrame = (callback) => frames.push(callback);
  const paint = async () => {
    for (const callback of frames.splice(0)) callback();
    await pause(); // what a frame asks for comes after it
  };
  pointer.startPointer();
  const at = (time, event) => Object.defineProperty(event, "timeStamp", { value: time });
  const press = (name, value, { time = performance.now() + 1000, detail = 1 } = {}) => {
    const point = page.form.querySelector(`[name="${name}"][value="${value}"]`);
    for (const type of ["pointerdown", "mousedown", "click"]) {
      point.dispatchEvent(at(time, new MouseEvent(type, { detail, bubbles: true, cancelable: true })));
    }
  };
  return { ...page, paint, pointer, press };
}

test("a press answers, and the further clicks of a double or triple click do not", async () => {
  const page = await opened();

  page.press("q1.clear", 1);
  page.press("q1.right", 2, { detail: 2 });
  page.press("q1.right", 3, { detail: 3 });

  assert.deepEqual([page.value("q1.clear"), page.value("q1.right")], ["1", ""]);
});

test("a press within 350 ms of the paint is ignored, and the next one is not", async () => {
  const page = await opened();
  page.pointer.noteAppearance();
  const before = performance.now();
  await page.paint();
  const after = performance.now();

  page.press("q1.clear", 1, { time: before + 349 });
  assert.equal(page.value("q1.clear"), "");

  page.press("q1.clear", 2, { time: after + 350 });
  assert.equal(page.value("q1.clear"), "2");
});

test("pointer, press before the criterion is painted, is ignored however late it is", async () => {
  const page = await opened();
  page.pointer.noteAppearance();

  page.press("q1.clear", 1, { time: performance.now() + 10_000 });

  assert.equal(page.value("q1.clear"), "");
});

test("pointer, press after another criterion appeared between a frame and its paint, is ignored", async () => {
  const page = await opened();
  page.pointer.noteAppearance();
  const painted = page.paint();
  page.pointer.noteAppearance();
  await painted;

  page.press("q1.clear", 1, { time: performance.now() + 10_000 });

  assert.equal(page.value("q1.clear"), "");
});

test("a click that a key made is never ignored", async () => {
  const page = await opened();
  page.pointer.noteAppearance();

  page.form.querySelector("[name='q1.clear']").click();

  assert.equal(page.value("q1.clear"), "1");
});

test("what is not part of a criterion takes every click", async () => {
  const page = await opened();
  page.pointer.noteAppearance();
  let clicks = 0;
  const button = page.window.document.getElementById("view-toggle");
  button.addEventListener("click", () => (clicks += 1));

  for (const detail of [1, 2]) button.dispatchEvent(new MouseEvent("click", { detail, bubbles: true, cancelable: true }));

  assert.equal(clicks, 2);
});
