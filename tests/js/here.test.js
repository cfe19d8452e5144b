import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";
import { JSDOM } from "jsdom";

const MINUTE = 60_000;

afterEach(() => mock.timers.reset());

test("a page that stays open says so every few minutes, also after a server did not answer", async () => {
  const asked = [];
  const page = new JSDOM('<script type="module" data-here="/work/here/"></script>');
  const before = { document: globalThis.document, fetch: globalThis.fetch };
  globalThis.document = page.window.document;
  globalThis.fetch = (address, options) => {
    asked.push([address, options.redirect]);
    return Promise.reject(new TypeError("offline"));
  };
  mock.timers.enable({ apis: ["setInterval"] });
  await import("../../static/js/here.js");

  assert.deepEqual(asked, []);
  mock.timers.tick(14 * MINUTE);

  assert.deepEqual(asked, [["/work/here/", "manual"], ["/work/here/", "manual"]]);
  Object.assign(globalThis, before);
});
