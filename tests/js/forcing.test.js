import assert from "node:assert/strict";
import { test } from "node:test";
import { criterion, open, question } from "./page.js";

const force = (when, set, to, because) => ({ when: [].concat(when), set, to, because });

async function opened(...fieldsets) {
  const page = await open({ questions: [question("A", ...fieldsets)] });
  return { ...page, ...(await page.module("forcing")), ...(await page.module("page")) };
}

test("a rule sets another answer, locks it and says why", async () => {
  const page = await opened(criterion("q1.clear", { forces: [force("1", "q1.right", "3", "nobody can say")] }), criterion("q1.right"));

  page.choose("q1.clear", "1");
  page.applyRules();

  const right = page.criterion("q1.right");
  assert.equal(page.value("q1.right"), "3");
  assert.ok(page.isLocked(right) && page.isFrozen(right) && !page.isMissing(right));
  assert.equal(right.querySelector("[data-because]").textContent, "nobody can say");
  assert.equal(right.querySelector("[data-because]").hidden, false);
  assert.equal(page.announced(), "nobody can say");
});

test("a value that no rule names sets nothing", async () => {
  const page = await opened(criterion("q1.clear", { forces: [force("1", "q1.right", "3", "why")] }), criterion("q1.right"));

  page.choose("q1.clear", "2");
  page.applyRules();

  assert.equal(page.value("q1.right"), "");
  assert.equal(page.isLocked(page.criterion("q1.right")), false);
});

test("the own answer comes back when the rule lets go", async () => {
  const page = await opened(criterion("q1.clear", { forces: [force("1", "q1.right", "3", "why")] }), criterion("q1.right", { checked: 2 }));

  page.choose("q1.clear", "1");
  page.applyRules();
  page.choose("q1.clear", "2");
  page.applyRules();

  const right = page.criterion("q1.right");
  assert.equal(page.value("q1.right"), "2");
  assert.equal(page.isFrozen(right), false);
  assert.equal(right.querySelector("[data-because]").hidden, true);
});

test("where there was no own answer none comes back", async () => {
  const page = await opened(criterion("q1.clear", { checked: 2, forces: [force("1", "q1.right", "3", "why")] }), criterion("q1.right", { checked: 3, locked: "why", own: "" }));

  page.applyRules();

  assert.equal(page.value("q1.right"), "");
  assert.ok(page.isMissing(page.criterion("q1.right")));
});

test("a forced value forces another, and both let go together", async () => {
  const page = await opened(
    criterion("q1.last", { checked: 1 }),
    criterion("q1.middle", { checked: 2, forces: [force("3", "q1.last", "2", "second")] }),
    criterion("q1.first", { forces: [force("1", "q1.middle", "3", "first")] }),
  );

  page.choose("q1.first", "1");
  page.applyRules();
  assert.deepEqual([page.value("q1.middle"), page.value("q1.last")], ["3", "2"]);

  page.choose("q1.first", "2");
  page.applyRules();
  assert.deepEqual([page.value("q1.middle"), page.value("q1.last")], ["2", "1"]);
});

test("while two rules set the same, it stays set until both let go", async () => {
  const page = await opened(
    criterion("q1.one", { checked: 1, forces: [force("1", "q1.right", "3", "one")] }),
    criterion("q1.two", { checked: 1, forces: [force("1", "q1.right", "3", "two")] }),
    criterion("q1.right", { checked: 1 }),
  );

  page.applyRules();
  page.choose("q1.one", "2");
  page.applyRules();
  assert.equal(page.value("q1.right"), "3");

  page.choose("q1.two", "2");
  page.applyRules();
  assert.equal(page.value("q1.right"), "1");
});

test("what an earlier step has locked stays locked: its rule is not on this page", async () => {
  const page = await opened(criterion("q1.clear"), criterion("q1.right", { checked: 3, locked: "earlier", own: "1" }));

  page.applyRules();

  assert.equal(page.value("q1.right"), "3");
  assert.ok(page.isLocked(page.criterion("q1.right")));
});
