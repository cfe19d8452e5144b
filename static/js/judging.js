// The judging page: what happens when an answer is given. Each module says what it minds.

import { form } from "./judging/page.js";
import { applyRules } from "./judging/forcing.js";
import { help, startHelp } from "./judging/help.js";
import { startKeyboard } from "./judging/keyboard.js";
import { mark, missing, refresh } from "./judging/marker.js";
import { flush, save, saveSoon, startSaving } from "./judging/saving.js";
import { setNothing, showSpans, startSpans } from "./judging/spans.js";
import { startSubmitting, submit } from "./judging/submitting.js";

function settle() {
  applyRules();
  showSpans();
  refresh();
}

form.addEventListener("change", ({ target }) => {
  const fieldset = target.closest("fieldset[data-criterion]");
  if (!fieldset) return flush(target.name);
  if ("span" in fieldset.dataset) return target.matches("[data-nothing]") && setNothing(fieldset, target.checked);
  if (target.validity.valid) save(target.name, target.value);
  settle();
});
form.addEventListener("input", ({ target }) => {
  if (target.matches("[data-draft]")) saveSoon(target);
});
form.addEventListener("focusin", ({ target }) => mark(target.closest("fieldset[data-criterion]")));

startSaving(settle);
settle();
mark(missing()[0] ?? form.querySelector("fieldset[data-criterion]"));
startSpans((name, value) => {
  save(name, value);
  settle();
});
startKeyboard({ submit, help });
startSubmitting();
startHelp();
