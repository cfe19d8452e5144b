// Submitting: once, complete, and not before everything has been saved, so that an ended session, a lost line or a server
// that is down costs nothing. The page itself sends the task: a submit of the browser's that cannot arrive would put the
// browser's own page in place of this one.

import { announce, asOpened, csrfToken, form, titleOf } from "./page.js";
import { goTo, missing } from "./marker.js";
import { everythingSaved, isSessionOver, isUnsaved, tellExpired, tellUnsent } from "./saving.js";
import { nextQuestion } from "./view.js";

const PATIENCE = 5000;
const LONGEST_ANSWER = 30000;
const STOPPED = 15000; // by then the person has stopped the next page from loading
const RETRY = 3000;
const AWAY = [502, 503, 504]; // a server, or the database behind it, that will be back
const buttons = () => [...form.querySelectorAll("button[name=action]")];
let isBusy = false;
let isLeft = false; // to the browser, which shows whatever the answer is

function setBusy(busy) {
  isBusy = busy;
  for (const button of buttons()) {
    if (busy) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
  }
}

async function saveThenSend(button) {
  setBusy(true);
  const isSaved = await everythingSaved(PATIENCE);
  setBusy(false);
  if (isSaved) form.requestSubmit(button);
}

// The token makes a second try harmless where the first arrived and its answer was lost.
function post(button) {
  const body = new URLSearchParams(new FormData(form, button));
  const signal = AbortSignal.timeout(LONGEST_ANSWER);
  const options = { method: "POST", body, headers: { Accept: "application/json", ...asOpened() }, redirect: "manual", signal };
  return fetch(form.getAttribute("action"), options).catch(() => null);
}

function goOnAt(address) {
  const next = new URL(address, location.href);
  const isSame = next.pathname + next.search === location.pathname + location.search;
  if (!isSame) return location.assign(next);
  history.replaceState(null, "", next); // a change of the fragment alone would not load the page again
  location.reload();
}

async function handIn(button) {
  setBusy(true);
  form.elements.csrfmiddlewaretoken.value = csrfToken();
  let answer = await post(button);
  while (!answer || AWAY.includes(answer.status)) {
    tellUnsent();
    await new Promise((resolve) => {
      setTimeout(resolve, RETRY);
      addEventListener("online", resolve, { once: true });
    });
    const isSaved = !isUnsaved() || (await everythingSaved(PATIENCE)); // somebody may go on answering meanwhile
    answer = isSaved ? await post(button) : null;
  }
  setTimeout(wake, STOPPED);
  if (isSessionOver(answer)) {
    setBusy(false);
    return tellExpired();
  }
  const said = answer.ok ? await answer.json().catch(() => null) : null;
  if (said?.next) return goOnAt(said.next);
  isLeft = true;
  setBusy(false);
  form.requestSubmit(button);
}

// The next that is missing, after where one is; those who hear the page are told what and how many.
function tellMissing() {
  const next = nextQuestion() ?? missing()[0];
  goTo(next);
  announce(`${document.getElementById("missing").dataset.toGo.replace("#", missing().length)}: ${titleOf(next)}`);
}

function onSubmit(event) {
  const [firstMissing] = event.submitter?.hasAttribute("data-needs-all") ? missing() : [];
  if (!firstMissing && (isLeft || !form.dataset.draftUrl)) return; // a preview is the browser's to send
  event.preventDefault();
  if (firstMissing) tellMissing();
  else if (isBusy) return;
  else if (isUnsaved()) saveThenSend(event.submitter);
  else handIn(event.submitter);
}

function wake() {
  isLeft = false;
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
