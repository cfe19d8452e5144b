// Submitting: once, complete, and not before everything has been saved, so that an ended session, a lost line or a server
// that is down costs nothing. The page itself sends the task: a submit of the browser's that cannot arrive would put the
// browser's own page in place of this one. The browser keeps the submission until the server has answered it, and the next
// judging page of the same annotator carries it out.

import { fillConditions } from "./conditions.js";
import { announce, asOpened, csrfToken, form, titleOf } from "./page.js";
import { firstOffScale, goTo, missing } from "./marker.js";
import { isReviewDue, openReview } from "./review.js";
import { everythingSaved, hasExpired, isSessionOver, isUnsaved, tellExpired, tellLeft, tellSubmitted, tellUnsent } from "./saving.js";
import { nextQuestion } from "./view.js";
import { dropSubmission, keepSubmission, submissions } from "./waiting.js";

const PATIENCE = 5000;
const LONGEST_ANSWER = 30000;
const STOPPED = 15000; // by then the person has stopped the next page from loading
const RETRY = 3000;
const AWAY = [502, 503, 504]; // a server, or the database behind it, that will be back
const url = form.dataset.draftUrl;
const who = form.dataset.who;
const buttons = () => [...form.querySelectorAll("button[name=action]")];
let isBusy = false;
let isReviewed = false; // by the page that kept the submission
let isLeft = false; // to the browser, which shows whatever the answer is

function setBusy(busy) {
  isBusy = busy;
  for (const button of buttons()) {
    if (busy) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
  }
}

function dataOf(button) {
  fillConditions();
  return new URLSearchParams(new FormData(form, button));
}

const contents = (button) => dataOf(button).toString();

const isSubmission = (button) => ["submit", "continue"].includes(button.value);

// A step that ends leads to questions that only the server knows: that is done while the page stays.
async function keep(button) {
  if (button.value !== "submit") return;
  await keepSubmission({ url, who, address: form.getAttribute("action"), contents: contents(button) });
}

// The token makes a second try harmless where the first arrived and its answer was lost.
function post(address, body) {
  const signal = AbortSignal.timeout(LONGEST_ANSWER);
  const options = { method: "POST", body, headers: { Accept: "application/json", ...asOpened() }, redirect: "manual", signal };
  return fetch(address, options).catch(() => null);
}

function postForm(button) {
  form.elements.csrfmiddlewaretoken.value = csrfToken();
  return post(form.getAttribute("action"), dataOf(button));
}

const isAway = (answer) => !answer || AWAY.includes(answer.status);

const nextTry = () =>
  new Promise((resolve) => {
    setTimeout(resolve, RETRY);
    addEventListener("online", resolve, { once: true });
  });

// The next page takes the focus to its heading, so that screen readers announce the task.
const SUBMITTED = "quaestor.submitted";

function rememberSubmit() {
  try {
    sessionStorage.setItem(SUBMITTED, "yes");
  } catch {
    // The focus is then at the top of the page.
  }
}

export function focusHeading() {
  try {
    if (!sessionStorage.getItem(SUBMITTED)) return;
    sessionStorage.removeItem(SUBMITTED);
    document.querySelector("h1").focus({ preventScroll: true });
  } catch {
    // As above.
  }
}

function goOnAt(address) {
  rememberSubmit();
  const next = new URL(address, location.href);
  const isSame = next.pathname + next.search === location.pathname + location.search;
  if (!isSame) return location.assign(next);
  history.replaceState(null, "", next); // a change of the fragment alone would not load the page again
  location.reload();
}

// Saves the answers, then sends the form; null while that cannot be done. Answers may go on being given meanwhile.
async function saveAndPost(button) {
  const isSaved = !isUnsaved() || (await everythingSaved(PATIENCE));
  const answer = isSaved ? await postForm(button) : null;
  return isAway(answer) ? null : answer;
}

async function handIn(button) {
  setBusy(true);
  await keep(button);
  let answer = await saveAndPost(button);
  while (!answer && isSubmission(button) && !hasExpired()) {
    tellUnsent();
    await nextTry();
    await keep(button);
    answer = await saveAndPost(button);
  }
  setTimeout(wake, STOPPED);
  if (answer && !isSessionOver(answer)) return goOn(answer, button);
  setBusy(false);
  if (answer || hasExpired()) tellExpired();
}

// A task that is not accepted leads back to itself, or first to a text to agree to.
function isAccepted(said, address) {
  const task = new URL(address, location.href).pathname.replace(/draft\/$/, "");
  return Boolean(said?.submitted) && new URL(said.next, location.href).pathname !== task;
}

async function goOn(answer, button) {
  await dropSubmission(url);
  const said = answer.ok ? await answer.json().catch(() => null) : null;
  if (button.value === "submit" && isAccepted(said, url)) tellSubmitted(url);
  if (said?.next) return goOnAt(said.next);
  isLeft = true;
  setBusy(false);
  form.requestSubmit(button);
}

// ---- submissions of earlier pages

const isSubmitted = () => document.getElementById("changed")?.hidden === true;

async function carryOutHere() {
  if (!missing().length && !isSubmitted()) {
    isReviewed = true;
    submit();
    isReviewed = false;
    return;
  }
  await dropSubmission(url);
}

async function carryOutElsewhere(submission) {
  const body = new URLSearchParams(submission.contents);
  body.set("csrfmiddlewaretoken", csrfToken());
  const answer = await post(submission.address, body);
  if (isAway(answer) || isSessionOver(answer)) return;
  const said = answer.ok ? await answer.json().catch(() => null) : null;
  if (isAccepted(said, submission.url)) tellSubmitted(submission.url);
  else tellLeft();
  await dropSubmission(submission.url);
}

async function carryOut() {
  for (const submission of await submissions(who)) {
    if (submission.url === url) await carryOutHere();
    else await carryOutElsewhere(submission);
  }
}

// The next that is missing, after where one is; those who hear the page are told what and how many.
function tellMissing() {
  const next = nextQuestion() ?? missing()[0];
  goTo(next);
  announce(`${document.getElementById("missing").dataset.toGo.replace("#", missing().length)}: ${titleOf(next)}`);
}

function onSubmit(event) {
  const needsAll = event.submitter?.hasAttribute("data-needs-all");
  const offScale = needsAll && firstOffScale();
  if (offScale) {
    event.preventDefault();
    return goTo(offScale);
  }
  const [firstMissing] = needsAll ? missing() : [];
  if (!firstMissing && !isLeft && !isReviewed && event.submitter?.value === "submit" && isReviewDue()) {
    event.preventDefault();
    return openReview();
  }
  if (!firstMissing && (isLeft || !form.dataset.draftUrl)) return; // a preview is the browser's to send
  event.preventDefault();
  if (firstMissing) tellMissing();
  else if (!isBusy) handIn(event.submitter);
}

function wake() {
  isLeft = false;
  setBusy(false);
}

export function submit() {
  form.requestSubmit(buttons().find((button) => button.hasAttribute("data-needs-all")));
  return true;
}

// `saved` resolves once the answers that waited from earlier pages have been sent: submissions come after them.
export function startSubmitting(saved) {
  form.addEventListener("submit", onSubmit);
  addEventListener("pageshow", wake);
  if (url) saved.then(carryOut);
}
