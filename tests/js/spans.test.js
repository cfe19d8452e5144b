import assert from "node:assert/strict";
import { test } from "node:test";
import { criterion, open, question, spanMark } from "./page.js";

const TEXT = "Ada wrote the first program. She was a countess.";

async function opened(value = "", text = TEXT) {
  const page = await open({ passage: text, questions: [question("A", spanMark("q1.answer", value), criterion("q1.clear"))] });
  const said = [];
  const passage = await page.module("passage");
  const marker = await page.module("marker");
  const spans = await page.module("spans");
  marker.startMarking(() => {});
  marker.mark(page.form.querySelector("fieldset[data-span]"));
  spans.startSpans((name, given) => said.push([name, given]));
  spans.showSpans();
  const tools = page.window.document.getElementById("marking");
  const keep = (range) => {
    passage.select(range);
    tools.querySelector("[data-keep]").click();
  };
  const kept = () => page.form.querySelector("[name='q1.answer']").value;
  const pieces = () => [...page.form.querySelectorAll("ul[data-kept] q")].map((each) => each.textContent);
  return { ...page, spans, marker, tools, keep, kept, pieces, said };
}

test("what is selected is kept as whole words, and told", async () => {
  const page = await opened();

  page.keep([1, 8]); // "da wrot"

  assert.equal(page.kept(), "0-9");
  assert.deepEqual(page.said, [["q1.answer", "0-9"]]);
  assert.deepEqual(page.pieces(), ["Ada wrote"]);
  assert.equal(page.announced(), "Marked: Ada wrote");
});

test("exact characters are kept where they are asked for", async () => {
  const page = await opened();

  page.tools.querySelector("[data-exact]").checked = true;
  page.keep([1, 8]);

  assert.equal(page.kept(), "1-8");
});

test("pieces that overlap or touch are joined, others stand by themselves in the order of the text", async () => {
  const page = await opened("29-32 4-13");

  page.keep([10, 19]); // "the first" overlaps "wrote the"

  assert.equal(page.kept(), "4-19 29-32");
  assert.deepEqual(page.pieces(), ["wrote the first", "She"]);
});

test("a piece inside another changes nothing", async () => {
  const page = await opened("0-19");

  page.keep([4, 9]);

  assert.equal(page.kept(), "0-19");
});

test("a piece is taken back by its button, and the others stay", async () => {
  const page = await opened("0-3 29-32");

  page.form.querySelector("[data-remove='0-3']").click();

  assert.equal(page.kept(), "29-32");
});

test("nothing in the passage is an answer, and a mark takes it back", async () => {
  const page = await opened();
  const fieldset = page.form.querySelector("fieldset[data-span]");

  page.spans.setNothing(fieldset, true);
  assert.equal(page.kept(), "none");

  page.keep([0, 3]);
  assert.equal(page.kept(), "0-3");
  assert.equal(fieldset.querySelector("[data-nothing]").checked, false);
});

test("after the first piece the focus goes on to what is missing", async () => {
  const page = await opened();

  page.keep([0, 3]);

  assert.equal(page.marker.marked().dataset.criterion, "q1.clear");
});

const press = (page, key, options = {}) => page.form.querySelector(".passage").dispatchEvent(new page.window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...options }));

test("by keyboard: words by arrows, more of them with Shift, Enter keeps", async () => {
  const page = await opened();

  page.form.querySelector("[data-begin]").click();
  press(page, "ArrowRight");
  press(page, "ArrowRight", { shiftKey: true });
  press(page, "Enter");

  assert.deepEqual(page.pieces(), ["wrote the"]);
});

test("by keyboard: whole sentences by the arrow down", async () => {
  const page = await opened();

  page.form.querySelector("[data-begin]").click();
  press(page, "ArrowDown");
  press(page, "ArrowDown");
  press(page, "Enter");

  assert.deepEqual(page.pieces(), ["She was a countess"]);
});

test("pieces are counted in code points", async () => {
  const page = await opened("", "😀 Ada wrote");

  page.keep([3, 6]); // the face is two of the browser's halves

  assert.equal(page.kept(), "2-5");
  assert.deepEqual(page.pieces(), ["Ada"]);
});
