// Every answer goes to the server as it is given, in order and a few at a time, and waits here while the server cannot be
// reached. What waits is kept by the browser until the server has confirmed it; other tabs on the same task hear of it.

import { announce, asOpened, criterion, csrfToken, form, setValue, titleOf, valueOf, wordsOf } from "./page.js";
import { timesOf } from "./conditions.js";
import { tellSubmittedElsewhere } from "./elsewhere.js";
import { goTo } from "./marker.js";
import { drop, everything, isKept, keep } from "./waiting.js";

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 30000;
const PATIENCE = 15000;
const TYPING_PAUSE = 300;
const BATCH_PAUSE = 350; // answers that follow each other this quickly go together
const LONGEST_BATCH = 1000; // and none waits longer than this for others
const BATCH_ANSWERS = 50; // answers in one request

const url = form.dataset.draftUrl;
const who = form.dataset.who;
const channelOf = (address) => ("BroadcastChannel" in window ? new BroadcastChannel(`quaestor.drafts.${address}`) : null);
const channel = url ? channelOf(url) : null;
const display = document.getElementById("saved");
const queue = new Map(); // name -> {url, who, name, value, sequence, shown, answered, input}: only the latest answer of each field is worth sending
const typing = new Map(); // name -> timer of a text still being typed
const heldBack = new Set(); // names of what the page takes back and a task that was submitted needs: it stands on the server
let sequence = Number(form.elements.sequence.value) || 0;
let wait = FIRST_WAIT;
let retryTimer = 0;
let batchTimer = 0;
let batchBegan = 0;
let draining = null;
let problem = "";
let isExpired = false; // the session, when answers were sent last
let isSubmissionWaiting = false; // said in place of what the line and the saving do meanwhile
let changed = () => {};

export const hasExpired = () => isExpired;
export const isUnsaved = () => queue.size > 0 || typing.size > 0;

// ---- what the dock says

const isTrouble = (state) => ["offline", "expired", "conflict", "refused", "left", "unsent", "needed"].includes(state);

function show(news) {
  const state = isSubmissionWaiting && ["offline", "waiting", "saving", "saved"].includes(news) ? "unsent" : news;
  const said = display.dataset.state;
  const words = display.querySelector("[data-says]");
  const text = display.dataset[["offline", "unsent"].includes(state) && !isKept() ? `${state}Page` : state];
  const isNew = words.textContent !== text; // a next try that fails says nothing new
  display.dataset.state = isTrouble(state) ? "unsaved" : state;
  words.textContent = text;
  for (const link of display.querySelectorAll("[data-on]")) link.hidden = link.dataset.on !== state;
  if (isNew && (isTrouble(state) || (said === "unsaved" && state === "saved"))) announce(text);
}

export function tellUnsent() {
  isSubmissionWaiting = true;
  show("unsent");
}

export function tellExpired() {
  isSubmissionWaiting = false;
  show("expired");
}

export const tellLeft = () => show("left");

// An answer that lost to a later one from elsewhere: both are named where it stands, and one press brings it back.
function tellLost(name, mine, theirs) {
  const fieldset = criterion(name);
  if (!fieldset) return show("conflict");
  const note = fieldset.querySelector("[data-lost]");
  const words = (text, value) => text.replace("{question}", titleOf(fieldset)).replace("{value}", wordsOf(fieldset, value));
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button small";
  button.textContent = words(display.dataset.instead, mine);
  button.addEventListener("click", () => {
    note.hidden = true;
    setValue(fieldset, mine);
    put(name, mine);
    changed();
    goTo(fieldset);
  });
  const said = `${words(display.dataset.lostMine, mine)} ${words(display.dataset.lostTheirs, theirs)}`;
  note.replaceChildren(said, " ", button);
  note.hidden = false;
  announce(said);
}

// ---- what waits

function put(name, value) {
  sequence += 1;
  const entry = { url, who, name, value, sequence, ...(criterion(name) ? timesOf(name) : {}) };
  queue.set(name, entry);
  keep(entry);
  channel?.postMessage({ name, value, sequence });
  if (display.dataset.state !== "unsaved") show("saving"); // "saved" is said of what the server has confirmed, and of nothing else
  drainSoon();
}

function drainSoon() {
  batchBegan ||= Date.now();
  clearTimeout(batchTimer);
  batchTimer = setTimeout(drain, Math.max(0, Math.min(BATCH_PAUSE, batchBegan + LONGEST_BATCH - Date.now())));
}

// ---- what is sent

// Redirects lead to the log-in, or to a text to agree to that has changed.
export const isSessionOver = (response) => response.type === "opaqueredirect" || [401, 403].includes(response.status);

async function outcome(response) {
  if (response.ok) return { state: "saved" };
  if (isSessionOver(response)) return { state: "expired" };
  if (response.status === 409) return { state: "conflict", ...(await response.json().catch(() => ({}))) };
  if ([404, 410].includes(response.status)) return { state: "conflict" };
  return { state: response.status < 500 && response.status !== 429 && response.status !== 408 ? "refused" : "offline" };
}

function send(entries, address) {
  const body = new URLSearchParams();
  for (const { name, value, shown = "", answered = "", input = "" } of entries) {
    body.append("name", name);
    body.append("value", value);
    body.append("shown", shown);
    body.append("answered", answered);
    body.append("input", input);
  }
  body.append("sequence", Math.max(...entries.map((entry) => entry.sequence)));
  const options = {
    method: "POST",
    body,
    headers: { "X-CSRFToken": csrfToken(), "X-Requested-With": "XMLHttpRequest", ...asOpened() },
    redirect: "manual",
    keepalive: true,
    signal: AbortSignal.timeout(PATIENCE),
  };
  const read = async (response) => ({ token: response.headers.get("X-Quaestor-Token"), ...(await outcome(response)) });
  return fetch(address, options).then(read, () => ({ state: "offline" }));
}

// Each submission of a task gives it another token than this page was opened with.
function noteToken({ token }) {
  if (token && token !== form.elements.token.value) tellSubmittedElsewhere();
}

// The server holds a later, different answer: the page takes it over and counts on from it, so that the next click wins.
function yieldTo(entries, lost, held) {
  sequence = Math.max(sequence, held);
  for (const { name, value } of entries) {
    if (!(name in lost) || queue.get(name)?.value !== value) continue;
    place(name, lost[name]);
    tellLost(name, value, lost[name]);
  }
  changed();
}

function settle(entries, result) {
  if (result.lost) yieldTo(entries, result.lost, result.sequence);
  if (result.held_back) display.dataset.needed = result.error; // the page keeps what it shows: submitting again sends it
  for (const entry of entries) {
    if (result.held_back?.includes(entry.name)) heldBack.add(entry.name);
    else if (result.state === "saved" || result.lost) heldBack.delete(entry.name);
    if (queue.get(entry.name) === entry) queue.delete(entry.name);
    drop(entry);
  }
  if (result.state !== "saved" && !result.lost) problem = result.state;
  wait = FIRST_WAIT;
}

function retryLater(state) {
  isExpired = state === "expired";
  show(state);
  clearTimeout(retryTimer);
  retryTimer = setTimeout(drain, wait);
  wait = Math.min(wait * 2, LONGEST_WAIT);
}

async function sendAll() {
  if (!queue.size) return; // a clock that ran on: what was said of the last answers stands
  let most = BATCH_ANSWERS;
  while (queue.size) {
    const entries = [...queue.values()].slice(0, most);
    const result = await send(entries, url);
    noteToken(result);
    if (result.state === "offline" || result.state === "expired") return retryLater(result.state);
    if (result.state === "refused" && entries.length > 1) most = 1; // one of them is at fault: each goes by itself
    else settle(entries, result);
  }
  isExpired = false;
  show(problem || (heldBack.size ? "needed" : "saved"));
  problem = "";
}

function drain() {
  clearTimeout(batchTimer);
  clearTimeout(retryTimer);
  batchBegan = 0;
  draining ??= sendAll().finally(() => (draining = null));
  return draining;
}

function retryNow() {
  wait = FIRST_WAIT;
  if (queue.size) drain();
}

// ---- doors

export function save(name, value) {
  if (url) put(name, value);
}

export function saveSoon(field) {
  clearTimeout(typing.get(field.name));
  if (url) typing.set(field.name, setTimeout(() => flush(field.name), TYPING_PAUSE));
}

export function flush(only) {
  for (const [name, timer] of [...typing]) {
    if (only && name !== only) continue;
    clearTimeout(timer);
    typing.delete(name);
    put(name, form.elements[name].value);
  }
}

// Tells the other tabs on a task, of this page or an earlier one, that it is submitted.
export function tellSubmitted(address) {
  const told = address === url ? channel : channelOf(address);
  told?.postMessage({ isSubmitted: true });
  if (told !== channel) told?.close();
}

// True once nothing is unsaved; false if the server could not be reached in time.
export async function everythingSaved(milliseconds) {
  flush();
  show("waiting");
  wait = FIRST_WAIT;
  const clock = new Promise((resolve) => setTimeout(resolve, milliseconds));
  await Promise.race([drain(), clock]);
  return !isUnsaved();
}

// ---- beginning

function place(name, value) {
  const fieldset = criterion(name);
  if (fieldset) setValue(fieldset, value);
  else if (form.elements[name]) form.elements[name].value = value;
}

const current = (name) => (criterion(name) ? valueOf(criterion(name)) : form.elements[name]?.value);

// Answers that could not be sent before this page was left. One that the server may know better (its numbers went on
// meanwhile) is not sent; where it differs, both are named.
function restore(entries) {
  const held = sequence;
  for (const entry of entries.filter((each) => each.url === url && !queue.has(each.name))) {
    const shown = current(entry.name);
    if (entry.sequence <= held && shown !== "") {
      if (shown !== entry.value) tellLost(entry.name, entry.value, shown);
      drop(entry);
      continue;
    }
    place(entry.name, entry.value);
    queue.set(entry.name, entry);
    sequence = Math.max(sequence, entry.sequence);
  }
  if (queue.size) changed();
}

// Answers to other tasks, given offline before this one was opened.
async function sendLeftBehind(entries) {
  for (const address of new Set(entries.map((entry) => entry.url))) {
    const own = entries.filter((entry) => entry.url === address);
    const result = await send(own, address);
    if (result.state === "offline" || result.state === "expired") return;
    if (result.state !== "saved") show("left");
    own.forEach(drop);
  }
}

function hearOtherTabs() {
  channel?.addEventListener("message", ({ data }) => {
    if (data.isSubmitted) return tellSubmittedElsewhere();
    sequence = Math.max(sequence, data.sequence);
    queue.delete(data.name);
    place(data.name, data.value);
    changed();
  });
}

async function sendWhatWaited() {
  const entries = await everything(who);
  restore(entries);
  retryNow();
  await sendLeftBehind(entries.filter((entry) => entry.url !== url));
}

// Resolves once what waited from earlier pages has been sent or could not be.
export function startSaving(onChange) {
  changed = onChange;
  show(url ? "ready" : "preview");
  if (!url) return Promise.resolve();
  hearOtherTabs();
  addEventListener("online", retryNow);
  addEventListener("focus", retryNow);
  addEventListener("pagehide", () => {
    flush();
    drain();
  });
  addEventListener("beforeunload", (event) => {
    if (isUnsaved()) event.preventDefault();
  });
  return sendWhatWaited();
}
