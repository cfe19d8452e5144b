// Submitting: once, complete, and not before everything has been saved, so that an ended session or a lost line costs nothing.

import { announce, csrfToken, form, titleOf } from "./page.js";
import { goTo, missing } from "./marker.js";
import { everythingSaved, isUnsaved, tellUnsent } from "./saving.js";
import { nextQuestion } from "./view.js";

const PATIENCE = 5000;
const STOPPED = 15000; // by then the person has stopped the page from loading; the token makes a second try harmless
const buttons = () => [...form.querySelectorAll("button[name=action]")];
const RETRY = 3000;
let isSent = false;
let isWaiting = false;
let isReached = false; // a browser without a network may reach a server on its own machine

function setBusy(busy) {
  for (const button of buttons()) {
    if (busy) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
  }
}

function sendNow() {
  isSent = true;
  form.elements.csrfmiddlewaretoken.value = csrfToken();
  setBusy(true);
  setTimeout(wake, STOPPED);
}

async function saveThenSend(button) {
  isWaiting = true;
  setBusy(true);
  const isSaved = await everythingSaved(PATIENCE);
  isWaiting = false;
  setBusy(false);
  if (isSaved) form.requestSubmit(button);
}

// A submit that cannot arrive would put the browser's own page in place of this one.
async function sendWhenReached(button) {
  isWaiting = true;
  setBusy(true);
  while (!(await fetch(location.href, { method: "HEAD", cache: "no-store" }).then(() => true, () => false))) {
    tellUnsent();
    await new Promise((resolve) => {
      setTimeout(resolve, RETRY);
      addEventListener("online", resolve, { once: true });
    });
  }
  isWaiting = false;
  setBusy(false);
  isReached = true;
  form.requestSubmit(button);
}

// The next that is missing, after where one is; those who hear the page are told what and how many.
function tellMissing() {
  const next = nextQuestion() ?? missing()[0];
  goTo(next);
  announce(`${document.getElementById("missing").dataset.toGo.replace("#", missing().length)} ${titleOf(next)}`);
}

function onSubmit(event) {
  const [firstMissing] = event.submitter?.hasAttribute("data-needs-all") ? missing() : [];
  const mayGo = !isSent && !isWaiting && !firstMissing && !isUnsaved();
  if (mayGo && (navigator.onLine || isReached)) return sendNow();
  event.preventDefault();
  if (firstMissing) tellMissing();
  else if (mayGo) sendWhenReached(event.submitter);
  else if (!isSent && !isWaiting) saveThenSend(event.submitter);
}

function wake() {
  isSent = false;
  isReached = false;
  setBusy(false);
}

export function submit() {
  form.requestSubmit(buttons().find((button) => button.hasAttribute("data-needs-all")));
  return true;
}

export function startSubmitting() {
  form.addEventListener("submit", onSubmit);
  addEventListener("pageshow", wake);
}
