import assert from "node:assert/strict";
import { test } from "node:test";
import { criterion, open, question } from "./page.js";

const opened = async (options = {}) => (await open({ questions: [question("A", criterion("q1.clear"))], ...options })).module("waiting");
const entry = (value, sequence, others = {}) => ({ url: "/draft/", who: "me", name: "q1.clear", value, sequence, ...others });

test("of each control the latest answer is kept", async () => {
  const { everything, keep } = await opened();

  await keep(entry("1", 1));
  await keep(entry("2", 2));
  await keep(entry("3", 3, { name: "q1.right" }));

  assert.deepEqual((await everything("me")).map(({ name, value }) => [name, value]), [["q1.clear", "2"], ["q1.right", "3"]]);
});

test("what was confirmed is dropped", async () => {
  const { drop, everything, keep } = await opened();
  await keep(entry("1", 1));

  await drop(entry("1", 1));

  assert.deepEqual(await everything("me"), []);
});

test("a later answer than the one confirmed stays", async () => {
  const { drop, everything, keep } = await opened();
  await keep(entry("1", 1));
  await keep(entry("2", 2));

  await drop(entry("1", 1));

  assert.deepEqual((await everything("me")).map((each) => each.value), ["2"]);
});

test("the same answer given again later stays", async () => {
  const { drop, everything, keep } = await opened();
  await keep(entry("1", 3));

  await drop(entry("1", 1));

  assert.equal((await everything("me")).length, 1);
});

test("another answer under the same number stays: it came from another tab", async () => {
  const { drop, everything, keep } = await opened();
  await keep(entry("2", 1));

  await drop(entry("1", 1));

  assert.equal((await everything("me")).length, 1);
});

test("everybody gets their own alone, and tasks are kept apart", async () => {
  const { everything, keep } = await opened();
  await keep(entry("1", 1, { who: "another", url: "/other/" }));
  await keep(entry("2", 1));
  await keep(entry("3", 1, { url: "/next/" }));

  assert.deepEqual((await everything("me")).map((each) => each.url).sort(), ["/draft/", "/next/"]);
});

test("a browser that keeps nothing is known after the first try, and nothing breaks", async () => {
  const { everything, isKept, keep } = await opened({ database: { open: () => { throw new Error("forbidden"); } } });
  assert.equal(isKept(), true);

  await keep(entry("1", 1));

  assert.equal(isKept(), false);
  assert.deepEqual(await everything("me"), []);
});
