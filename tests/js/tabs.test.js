import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { criterion, open, question, Server } from "./page.js";

async function opened(url) {
  const server = new Server();
  const page = await open({ questions: [question("A", criterion("q1.clear"), criterion("q1.right"))], server, tabs: true, url });
  const { flush, isUnsaved, save, startSaving } = await page.module("saving");
  startSaving(() => {});
  const other = new BroadcastChannel(`quaestor.drafts.${url}`);
  return { ...page, server, flush, isUnsaved, save, other };
}

async function sees(holds) {
  while (!holds()) await pause(5);
}

test("an answer in another tab is shown here, and the next one here counts on from it", async () => {
  const page = await opened("/shared/");

  page.other.postMessage({ name: "q1.clear", value: "3", sequence: 20 });
  await sees(() => page.value("q1.clear") === "3");
  page.save("q1.right", "1");
  await sees(() => page.says() === "saved");

  assert.deepEqual(page.server.requests, [{ address: "/shared/", names: ["q1.right"], values: ["1"], sequence: 21 }]);
});

test("what another tab answers later takes the place of what waits here", async () => {
  const page = await opened("/waits/");
  page.server.isDown = true;
  page.save("q1.clear", "2");
  await sees(() => page.says() === "offline");

  page.other.postMessage({ name: "q1.clear", value: "3", sequence: 20 });
  await sees(() => !page.isUnsaved());

  assert.equal(page.value("q1.clear"), "3");
});

test("tab whose task another tab submitted, says so and takes no more answers", async () => {
  const page = await opened("/submitted/");
  const { isOver } = await page.module("elsewhere");

  page.other.postMessage({ isSubmitted: true });
  await sees(isOver);

  assert.equal(page.announced(), "Submitted elsewhere.");
  assert.deepEqual([...page.form.querySelectorAll("fieldset input:enabled, button[name=action]:enabled")], []);
});

test("tab whose save is answered with another token, says that the task was submitted", async () => {
  const page = await opened("/other-device/");
  const { isOver } = await page.module("elsewhere");
  page.save("q1.clear", "1");
  await sees(() => page.says() === "saved");
  assert.equal(isOver(), false);

  page.server.token = "later";
  page.save("q1.clear", "2");
  await sees(isOver);

  assert.equal(page.server.value("q1.clear"), "2");
});

test("tab that is submitting itself, is told nothing of its own submission", async () => {
  const page = await opened("/own/");
  const { isOver } = await page.module("elsewhere");
  page.form.querySelector("button[name=action]").setAttribute("aria-disabled", "true");

  page.server.token = "later";
  page.save("q1.clear", "1");
  await sees(() => page.says() === "saved");

  assert.equal(isOver(), false);
});
