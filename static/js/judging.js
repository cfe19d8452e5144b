// The judging page: what happens when an answer is given. Each module says what it minds.

import { startCopying } from "./copying.js";
import { form, isFocus } from "./judging/page.js";
import { startConditions } from "./judging/conditions.js";
import { applyRules } from "./judging/forcing.js";
import { help, startHelp } from "./judging/help.js";
import { startKeyboard } from "./judging/keyboard.js";
import { showKeywords } from "./judging/keywords.js";
import { goOn, mark, missing, refresh, startMarking } from "./judging/marker.js";
import { startPointer } from "./judging/pointer.js";
import { showQuestions, startReading } from "./judging/reading.js";
import { closeReview, startReview } from "./judging/review.js";
import { startResting } from "./judging/resting.js";
import { flush, save, saveSoon, startSaving } from "./judging/saving.js";
import { setNothing, showSpans, startSpans } from "./judging/spans.js";
import { focusHeading, startSubmitting, submit } from "./judging/submitting.js";
import { noteValues, rememberAnswer, startUndo, undo } from "./judging/undo.js";
import { follow, refreshView, startView } from "./judging/view.js";

const notice = document.getElementById("notice");

// The page may move on at once to another question: the notice of a rule stays until the next answer.
function showNotice(news) {
  notice.querySelector("[data-says]").textContent = news.join(" ");
  notice.hidden = !news.length;
}

function settle() {
  showQuestions();
  showNotice(applyRules());
  showSpans();
  refresh();
  refreshView();
  noteValues();
}

form.addEventListener("change", ({ target }) => {
  const fieldset = target.closest("fieldset[data-criterion]");
  if (!fieldset) return flush(target.name);
  if ("span" in fieldset.dataset) return target.matches("[data-nothing]") && setNothing(fieldset, target.checked);
  rememberAnswer(fieldset);
  if (target.validity.valid) save(target.name, target.value);
  settle();
});
form.addEventListener("input", ({ target }) => {
  if (target.matches("[data-draft]")) saveSoon(target);
  if (target.matches("[data-report]")) settle();
});
// With one question in view a tap goes on as a digit does; arrows, which press a radio button too, do not (their detail is 0).
form.addEventListener("click", ({ target, detail }) => {
  if (isFocus() && detail && target.matches("fieldset[data-criterion] [type=radio], [data-nothing]:checked")) setTimeout(goOn);
});

form.classList.add("scripted");
startConditions();
startCopying();
startPointer();
startView(() => {
  closeReview();
  showKeywords();
});
startReview();
const saved = startSaving(settle);
settle();
startMarking(() => {
  showQuestions();
  closeReview();
  follow();
  showKeywords();
});
mark(missing()[0] ?? form.querySelector("fieldset[data-criterion]"));
startSpans((name, value) => {
  save(name, value);
  settle();
});
startUndo((name, value) => {
  save(name, value);
  settle();
});
startReading();
startResting();
startKeyboard({ submit, help, undo });
startSubmitting(saved);
startHelp();
focusHeading();
// It keeps the page's static files; without one, a page that is reloaded offline is the browser's own.
if (form.dataset.worker) navigator.serviceWorker?.register(form.dataset.worker).catch(() => {});
