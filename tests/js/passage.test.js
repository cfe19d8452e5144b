import assert from "node:assert/strict";
import { test } from "node:test";
import { criterion, open, question } from "./page.js";

const opened = async (passage, options = {}) => (await open({ passage, questions: [question("A", criterion("q1.clear"))], ...options })).module("passage");

test("the server counts code points, the browser halves of pairs", async () => {
  const { fromStored, toStored, textOf } = await opened("a😀b𝔘c");

  assert.deepEqual([0, 1, 3, 4, 6, 7].map(toStored), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual([0, 1, 2, 3, 4, 5].map(fromStored), [0, 1, 3, 4, 6, 7]);
  assert.equal(textOf([1, 4]), "😀b𝔘");
});

test("line ends that the browser shortened count as the two characters they are", async () => {
  const { fromStored, toStored, textOf } = await opened("one\ntwo\nend", { returns: "3 8" }); // one\r\ntwo\r\nend

  assert.deepEqual([0, 3, 4, 7, 8].map(toStored), [0, 3, 5, 8, 10]);
  assert.deepEqual([0, 3, 5, 8, 10].map(fromStored), [0, 3, 4, 7, 8]);
  assert.equal(textOf([5, 13]), "two\nend");
});

test("only the line ends named are long: others are one character", async () => {
  const { toStored } = await opened("one\ntwo\nend", { returns: "7" }); // one\ntwo\r\nend

  assert.deepEqual([4, 8].map(toStored), [4, 9]);
});

test("a selection snaps to the words it touches", async () => {
  const { snapped } = await opened("heir to the worldwide throne");

  assert.deepEqual(snapped([2, 14]), [0, 21]);
});

test("a selection that touches no word stays, and one that ends at a word does not take it", async () => {
  const { snapped } = await opened("one -- two");

  assert.deepEqual(snapped([4, 6]), [4, 6]);
  assert.deepEqual(snapped([0, 3]), [0, 3]);
  assert.deepEqual(snapped([4, 7]), [4, 7]);
});

test("words are cut as the text's own language cuts them", async () => {
  const { snapped, words } = await opened("我喜欢机器学习", { lang: "zh" });

  assert.ok(words().length > 1);
  assert.deepEqual(snapped([4, 5]).length, 2);
  assert.ok(snapped([4, 5])[1] - snapped([4, 5])[0] < 7);
});

test("sentences are given by their first and last words", async () => {
  const { sentences } = await opened("Ada wrote it. Was she first? Yes.");

  assert.deepEqual(sentences(), [[0, 2], [3, 5], [6, 6]]);
});

test("what is selected is trimmed of space, and told as places in the whole text", async () => {
  const { select, selected } = await opened("one <mark>two</mark> three");

  select([3, 8]); // " two "

  assert.deepEqual(selected(), [4, 7]);
});

test("of a selection that begins before the passage only the passage counts", async () => {
  const { selected } = await opened("one two");
  const first = document.querySelector("[data-letter]").parentNode;

  getSelection().setBaseAndExtent(document.querySelector(".passage").firstChild, 4, first, 0);

  assert.deepEqual(selected(), [4, 7]);
});
