import assert from "node:assert/strict";
import { test } from "node:test";
import { criterion, open, question } from "./page.js";

const number = (name) =>
  `<fieldset data-criterion="${name}" data-required><legend><b><span data-name>effort</span></b></legend><input class="number" type="number" min="0" max="100" name="${name}"><p data-off-scale hidden>The number is not on the scale 0–100.</p></fieldset>`;

async function opened() {
  const page = await open({ view: "focus", questions: [question("A", number("q1.effort")), question("B", criterion("q2.clear"))] });
  page.form.noValidate = true;
  const [marker, submitting, view, keyboard] = await Promise.all(["marker", "submitting", "view", "keyboard"].map(page.module));
  view.startView();
  marker.startMarking(view.follow);
  marker.mark(marker.missing()[0]);
  submitting.startSubmitting(new Promise(() => {}));
  keyboard.startKeyboard({ submit: submitting.submit, help: () => {}, undo: () => {} });
  page.form.addEventListener("change", marker.refresh);
  const box = page.form.elements["q1.effort"];
  const enter = (value) => {
    box.value = value;
    box.dispatchEvent(new page.window.Event("change", { bubbles: true }));
  };
  return { ...page, box, enter, error: page.form.querySelector("[data-off-scale]"), submit: submitting.submit, at: () => marker.marked()?.dataset.criterion };
}

test("number off its scale, is said at its field and not passed over", async () => {
  const page = await opened();

  page.enter("150");
  page.submit();

  assert.deepEqual([page.error.hidden, page.at(), page.window.document.activeElement], [false, "q1.effort", page.box]);

  page.enter("55");
  page.submit();

  assert.deepEqual([page.error.hidden, page.at()], [true, "q2.clear"]);
});

test("digit where nothing has the focus, goes to the number that is asked", async () => {
  const page = await opened();
  const press = new page.window.KeyboardEvent("keydown", { key: "7", bubbles: true, cancelable: true });

  page.window.document.body.dispatchEvent(press);

  assert.deepEqual([page.window.document.activeElement, press.defaultPrevented], [page.box, false]);
});
