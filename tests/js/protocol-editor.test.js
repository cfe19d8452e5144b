import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { JSDOM, VirtualConsole } from "jsdom";

test("protocol editor, swapped in without a place to go to, loads without an error", async () => {
  const errors = [];
  const virtualConsole = new VirtualConsole().on("jsdomError", (error) => errors.push(error.message));
  const { window } = new JSDOM('<div id="editor" data-focus=""></div>', { virtualConsole });
  const before = { document: globalThis.document, addEventListener: globalThis.addEventListener };
  Object.assign(globalThis, { document: window.document, addEventListener: window.addEventListener.bind(window) });
  mock.timers.enable({ apis: ["setTimeout"] });
  await import("../../static/js/protocol-editor.js");

  const elt = window.document.getElementById("editor");
  elt.dispatchEvent(new window.CustomEvent("htmx:load", { bubbles: true, detail: { elt } }));

  assert.deepEqual(errors, []);
  mock.timers.reset();
  Object.assign(globalThis, before);
});
