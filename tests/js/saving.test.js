import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { IDBFactory } from "fake-indexeddb";
import { criterion, open, question, Server, until } from "./page.js";

const QUESTIONS = [question("A", criterion("q1.clear"), criterion("q1.right")), question("B", criterion("q2.clear"))];

async function opened(options = {}) {
  const server = options.server ?? new Server();
  const page = await open({ questions: QUESTIONS, server, ...options });
  const saving = await page.module("saving");
  const waiting = await page.module("waiting");
  saving.startSaving(() => {});
  await waiting.everything("me"); // what waited before this page is looked up first
  await turn();
  const answer = (name, value) => {
    page.choose(name, value);
    saving.save(name, value);
  };
  const note = () => page.form.querySelector(":is([data-lost]):not([hidden])");
  return { ...page, ...saving, server, answer, note, waits: () => waiting.everything("me") };
}

// Lets the pause after which a batch goes pass, and waits for the page to say so.
async function pass(page, milliseconds, says) {
  mock.timers.tick(milliseconds);
  await until(() => page.says() === says && (says !== "saved" || !page.isUnsaved()));
}

describe("saving", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 }));
  afterEach(() => mock.timers.reset());

  test("saved is said once the server has confirmed, and not before", async () => {
    const page = await opened();

    page.answer("q1.clear", "2");
    assert.equal(page.says(), "saving");
    assert.ok(page.isUnsaved());

    await pass(page, 350, "saved");
    assert.equal(page.server.value("q1.clear"), "2");
  });

  test("answers that follow each other quickly go in one request", async () => {
    const page = await opened({ sequence: 7 });

    page.answer("q1.clear", "2");
    mock.timers.tick(200);
    page.answer("q1.right", "3");
    mock.timers.tick(349);
    assert.deepEqual(page.server.requests, []);
    await pass(page, 1, "saved");

    assert.deepEqual(page.server.requests, [{ address: "/draft/", names: ["q1.clear", "q1.right"], values: ["2", "3"], sequence: 9 }]);
  });

  test("no answer waits longer than a second for others", async () => {
    const page = await opened();

    for (let at = 0; at < 4; at += 1) {
      page.answer("q1.clear", String((at % 3) + 1));
      mock.timers.tick(300);
    }

    await until(() => page.server.requests.length === 1);
  });

  test("of two answers to one criterion only the later is sent", async () => {
    const page = await opened();

    page.answer("q1.clear", "2");
    page.answer("q1.clear", "3");
    await pass(page, 350, "saved");

    assert.deepEqual(page.server.requests.map((each) => each.values), [["3"]]);
  });

  test("an answer given while its predecessor is on the way is sent too", async () => {
    const page = await opened();
    let release;
    const { fetch } = page.server;
    globalThis.fetch = (...given) => new Promise((resolve) => (release = () => resolve(fetch(...given))));

    page.answer("q1.clear", "2");
    mock.timers.tick(350);
    await until(() => release);
    page.answer("q1.clear", "3");
    globalThis.fetch = fetch;
    release();
    mock.timers.tick(350);
    await until(() => page.says() === "saved" && !page.isUnsaved());

    assert.equal(page.server.value("q1.clear"), "3");
  });

  test("offline answers are kept, tried again after longer and longer pauses, and sent in the end", async () => {
    const page = await opened();
    page.server.isDown = true;

    page.answer("q1.clear", "2");
    await pass(page, 350, "offline");
    assert.equal(page.announced(), "offline");
    assert.deepEqual((await page.waits()).map(({ name, value }) => [name, value]), [["q1.clear", "2"]]);

    page.server.isDown = false;
    await pass(page, 1000, "saved");
    assert.equal(page.server.value("q1.clear"), "2");
    await until(async () => (await page.waits()).length === 0);
  });

  test("an hour offline: nothing is lost, and when the connection is back all goes at once", async () => {
    const page = await opened();
    page.server.isDown = true;

    page.answer("q1.clear", "2");
    await pass(page, 350, "offline");
    for (let minute = 0; minute < 60; minute += 1) mock.timers.tick(60_000);
    page.answer("q2.clear", "3");
    assert.equal(page.says(), "offline");

    page.server.isDown = false;
    page.window.dispatchEvent(new page.window.Event("online"));
    await until(() => {
      mock.timers.tick(100); // a try that was on its way when the connection came back is repeated after a second
      return page.says() === "saved" && !page.isUnsaved();
    });
    assert.deepEqual([page.server.value("q1.clear"), page.server.value("q2.clear")], ["2", "3"]);
  });

  for (const status of [401, 403]) {
    test(`a session that is over (${status}) loses nothing, and the way back in is shown`, async () => {
      const page = await opened();
      page.server.status = status;

      page.answer("q1.clear", "2");
      await pass(page, 350, "expired");
      assert.equal(page.window.document.querySelector("[data-on=expired]").hidden, false);

      page.server.status = null;
      page.window.dispatchEvent(new page.window.Event("focus"));
      await until(() => page.says() === "saved" && !page.isUnsaved());
      assert.equal(page.server.value("q1.clear"), "2");
      assert.equal(page.window.document.querySelector("[data-on=expired]").hidden, true);
    });
  }

  test("of answers that were lost, no clock that ran on says that they are saved", async () => {
    const page = await opened();
    page.server.isDown = true;
    page.answer("q1.clear", "2");
    await pass(page, 350, "offline");
    page.server.isDown = false;
    page.server.status = 409;
    page.window.dispatchEvent(new page.window.Event("online"));
    await until(() => page.says() === "conflict");

    for (let second = 0; second < 60; second += 1) {
      mock.timers.tick(1_000);
      await turn();
    }

    assert.equal(page.says(), "conflict");
    assert.equal(page.server.requests.length, 1);
  });

  for (const status of [404, 409, 410]) {
    test(`a task that has ended (${status}) is said, with a way to reload, and not tried for ever`, async () => {
      const page = await opened();
      page.server.status = status;

      page.answer("q1.clear", "2");
      await pass(page, 350, "conflict");

      assert.equal(page.window.document.querySelector("[data-on=conflict]").hidden, false);
      assert.equal(page.isUnsaved(), false);
      assert.equal(page.server.requests.length, 1);
    });
  }

  test("what a task that was submitted needs is said until it is given, and the page keeps what was entered", async () => {
    const page = await opened();
    const report = page.form.elements["broken.A"];
    page.server.needs.set(report.name, "Answer it first");

    page.saveSoon(report);
    page.flush();
    page.answer("q1.right", "3");
    await pass(page, 350, "Answer it first");
    assert.equal(page.server.value("q1.right"), "3");
    assert.equal(page.isUnsaved(), false);

    page.answer("q1.clear", "2");
    await pass(page, 350, "Answer it first");
    assert.equal(page.server.value("q1.clear"), "2");

    report.value = "Wrong passage";
    page.saveSoon(report);
    page.flush();
    await pass(page, 350, "saved");
  });

  test("of refused answers each goes by itself, so that the good ones are kept", async () => {
    const page = await opened();
    page.server.refuses.add("q1.right");

    page.answer("q1.clear", "2");
    page.answer("q1.right", "3");
    page.answer("q2.clear", "1");
    await pass(page, 350, "refused");

    assert.deepEqual([page.server.value("q1.clear"), page.server.value("q1.right"), page.server.value("q2.clear")], ["2", undefined, "1"]);
    assert.deepEqual(page.server.requests.map((each) => each.names.length), [3, 1, 1, 1]);
  });

  test("an answer that lost to a later one from elsewhere: both values are named, the later stands, one press brings the own back", async () => {
    const page = await opened();
    page.server.held.set("q1.clear", { value: "3", sequence: 40 });

    page.answer("q1.clear", "2");
    await pass(page, 350, "saved");

    assert.equal(page.value("q1.clear"), "3");
    assert.match(page.note().textContent, /A, clear: you chose 2 word 2\. 3 word 3 stands\./);

    page.note().querySelector("button").click();
    assert.equal(document.activeElement.value, "2"); // the button has gone: the focus is on what it chose
    await pass(page, 350, "saved");
    assert.deepEqual(page.server.held.get("q1.clear"), { value: "2", sequence: 41 });
    assert.equal(page.note(), null);
  });

  test("what another answer lost does not touch an answer given meanwhile", async () => {
    const page = await opened();
    page.server.held.set("q1.clear", { value: "3", sequence: 40 });

    page.answer("q1.clear", "2");
    page.answer("q1.right", "1");
    await pass(page, 350, "saved");

    assert.equal(page.server.value("q1.right"), "1");
    assert.equal(page.value("q1.right"), "1");
  });

  test("what waited when the page was left is sent when it is opened again", async () => {
    const database = new IDBFactory();
    const first = await opened({ database });
    first.server.isDown = true;
    first.answer("q1.clear", "2");
    await until(async () => (await first.waits()).length === 1);

    const page = await opened({ database });
    await until(() => page.server.value("q1.clear") === "2");

    assert.equal(page.value("q1.clear"), "2");
  });

  test("what waited, with a lower number than the server holds, never wins: both are named", async () => {
    const database = new IDBFactory();
    const first = await opened({ database });
    first.server.isDown = true;
    first.answer("q1.clear", "2");
    await until(async () => (await first.waits()).length === 1);

    const later = [question("A", criterion("q1.clear", { checked: 3 }), criterion("q1.right"))];
    const page = await opened({ database, sequence: 12, questions: later });
    await until(() => page.note());

    assert.equal(page.value("q1.clear"), "3");
    assert.match(page.note().textContent, /you chose 2 word 2\. 3 word 3 stands/);
    assert.deepEqual(page.server.requests, []);
    await until(async () => (await page.waits()).length === 0);
  });

  test("what waited although the server has it is not sent again", async () => {
    const database = new IDBFactory();
    const first = await opened({ database });
    first.server.isDown = true;
    first.answer("q1.clear", "2");
    await until(async () => (await first.waits()).length === 1);

    const page = await opened({ database, sequence: 1, questions: [question("A", criterion("q1.clear", { checked: 2 }))] });
    await until(async () => (await page.waits()).length === 0);

    assert.deepEqual([page.server.requests, page.note()], [[], null]);
  });

  test("answers to another task that waited go to that task", async () => {
    const database = new IDBFactory();
    const first = await opened({ database, url: "/first/" });
    first.server.isDown = true;
    first.answer("q1.clear", "2");
    await until(async () => (await first.waits()).length === 1);

    const page = await opened({ database, url: "/second/" });
    await until(() => page.server.requests.length === 1);

    assert.deepEqual([page.server.requests[0].address, page.server.requests[0].values], ["/first/", ["2"]]);
    assert.equal(page.value("q1.clear"), "");
  });

  test("another person's answers are neither shown nor sent", async () => {
    const database = new IDBFactory();
    const first = await opened({ database, who: "someone else" });
    first.server.isDown = true;
    first.answer("q1.clear", "2");
    const { everything } = await first.module("waiting");
    await pass(first, 350, "offline");
    assert.equal((await everything("someone else")).length, 1);

    const page = await opened({ database });
    page.answer("q2.clear", "1");
    await pass(page, 350, "saved");

    assert.deepEqual(page.server.requests.map((each) => each.names), [["q2.clear"]]);
    assert.equal(page.value("q1.clear"), "");
  });

  test("where the browser keeps nothing, the page says that it must stay open", async () => {
    const page = await opened({ database: { open: () => { throw new Error("forbidden"); } } });
    page.server.isDown = true;

    page.answer("q1.clear", "2");
    await pass(page, 350, "offline-page");
  });

  test("text is saved when typing pauses, once", async () => {
    const page = await opened();
    const note = page.form.elements.note;

    for (const text of ["t", "ty", "typ"]) {
      note.value = text;
      page.saveSoon(note);
      mock.timers.tick(200);
    }
    mock.timers.tick(300);
    await pass(page, 350, "saved");

    assert.deepEqual(page.server.requests.map((each) => each.values), [["typ"]]);
  });

  test("submitting waits for everything to be saved, also for what is still being typed", async () => {
    const page = await opened();
    page.form.elements.note.value = "typed";
    page.saveSoon(page.form.elements.note);

    assert.equal(await page.everythingSaved(5000), true);

    assert.equal(page.server.value("note"), "typed");
  });

  test("submitting does not wait for ever for a server that cannot be reached", async () => {
    const page = await opened();
    page.server.isDown = true;
    page.answer("q1.clear", "2");

    assert.equal(await page.everythingSaved(5000), false);
    assert.ok(page.isUnsaved());

    page.server.isDown = false;
    await pass(page, 1000, "saved");
  });

  test("more answers than go together go in several requests, and all arrive", async () => {
    const many = Array.from({ length: 60 }, (_each, at) => criterion(`q${at + 1}.clear`));
    const page = await opened({ questions: [question("A", ...many)] });

    for (let at = 1; at <= 60; at += 1) page.answer(`q${at}.clear`, "2");
    await pass(page, 350, "saved");

    assert.deepEqual(page.server.requests.map((each) => each.names.length), [50, 10]);
    assert.equal(page.server.held.size, 60);
  });

  test("a preview sends nothing", async () => {
    const page = await opened({ url: "" });

    page.answer("q1.clear", "2");
    mock.timers.tick(5000);

    assert.equal(page.says(), "preview");
    assert.equal(page.isUnsaved(), false);
    assert.deepEqual(page.server.requests, []);
  });
});
