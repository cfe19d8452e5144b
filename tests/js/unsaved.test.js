import assert from "node:assert/strict";
import { test } from "node:test";
import { JSDOM } from "jsdom";

test("page of two forms, asks before it is left with entries that the form sent does not have", async () => {
  const { window } = new JSDOM('<form id="one"><input name="a"></form><form id="other"><input name="b"></form>');
  const before = { document: globalThis.document, addEventListener: globalThis.addEventListener };
  Object.assign(globalThis, { document: window.document, addEventListener: window.addEventListener.bind(window) });
  await import("../../static/js/unsaved.js");
  const dispatch = (type, target) => {
    const event = new window.Event(type, { bubbles: true, cancelable: true });
    target.dispatchEvent(event);
    return event.defaultPrevented;
  };
  const [one, other] = window.document.forms;

  assert.equal(dispatch("beforeunload", window), false);
  dispatch("input", one.elements.a);
  dispatch("submit", one);
  assert.equal(dispatch("beforeunload", window), false);
  dispatch("input", other.elements.b);
  dispatch("submit", one);
  assert.equal(dispatch("beforeunload", window), true);
  Object.assign(globalThis, before);
});
