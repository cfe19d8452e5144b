// Every answer goes to the server as it is given, one at a time and in order, and waits here while the server cannot be reached.
// What waits is kept for this tab (sessionStorage), so a reload loses nothing; other tabs on the same task hear of it.

import { announce, criterion, csrfToken, form, setValue, valueOf } from "./page.js";

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 30000;
const PATIENCE = 15000;
const TYPING_PAUSE = 300;

const url = form.dataset.draftUrl;
const storageKey = `quaestor.drafts.${url}`;
const channel = url && "BroadcastChannel" in window ? new BroadcastChannel(storageKey) : null;
const display = document.getElementById("saved");
const queue = new Map(); // name -> {value, sequence}: only the latest answer of each field is worth sending
const typing = new Map(); // name -> timer of a text still being typed
let sequence = Number(form.elements.sequence.value) || 0;
let wait = FIRST_WAIT;
let retryTimer = 0;
let draining = null;
let problem = "";

export const isUnsaved = () => queue.size > 0 || typing.size > 0;

// ---- what the dock says

function show(state) {
  const said = display.dataset.state;
  const isTrouble = (name) => ["offline", "expired", "conflict", "refused"].includes(name);
  display.dataset.state = isTrouble(state) ? "unsaved" : state;
  display.querySelector("[data-says]").textContent = display.dataset[state];
  for (const link of display.querySelectorAll("[data-on]")) link.hidden = link.dataset.on !== state;
  if (isTrouble(state) || (said === "unsaved" && state === "saved")) announce(display.dataset[state]);
}

// ---- what is kept

function persist() {
  try {
    if (queue.size) sessionStorage.setItem(storageKey, JSON.stringify([...queue]));
    else sessionStorage.removeItem(storageKey);
  } catch {
    // Full or forbidden: what waits is still in memory.
  }
}

function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) || "[]");
  } catch {
    return [];
  }
}

function put(name, value) {
  sequence += 1;
  queue.set(name, { value, sequence });
  persist();
  channel?.postMessage({ name, value, sequence });
  drain();
}

// ---- what is sent

function outcome(response) {
  if (response.ok) return "saved";
  if (response.type === "opaqueredirect" || [401, 403].includes(response.status)) return "expired";
  if ([404, 409, 410].includes(response.status)) return "conflict";
  return response.status < 500 && response.status !== 429 && response.status !== 408 ? "refused" : "offline";
}

async function send(name, { value, sequence: number }) {
  const options = {
    method: "POST",
    body: new URLSearchParams({ name, value, sequence: number }),
    headers: { "X-CSRFToken": csrfToken(), "X-Requested-With": "XMLHttpRequest" },
    redirect: "manual",
    keepalive: true,
    signal: AbortSignal.timeout(PATIENCE),
  };
  return fetch(url, options).then(outcome, () => "offline");
}

function settle(name, entry, result) {
  if (queue.get(name) === entry) queue.delete(name);
  persist();
  problem = result === "saved" ? problem : result;
  wait = FIRST_WAIT;
}

function retryLater(result) {
  show(result);
  clearTimeout(retryTimer);
  retryTimer = setTimeout(drain, wait);
  wait = Math.min(wait * 2, LONGEST_WAIT);
}

async function sendAll() {
  while (queue.size) {
    const [name, entry] = queue.entries().next().value;
    if (display.dataset.state !== "unsaved") show("saving");
    const result = await send(name, entry);
    if (result === "offline" || result === "expired") return retryLater(result);
    settle(name, entry, result);
  }
  show(problem || "saved");
  problem = "";
}

function drain() {
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

// True once nothing is unsaved; false if the server could not be reached in time.
export async function everythingSaved(milliseconds) {
  flush();
  show("waiting");
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

const isEmpty = (name) => (criterion(name) ? valueOf(criterion(name)) : form.elements[name]?.value) === "";

// Answers this tab could not send before it was reloaded. One that the server may know better (its numbers went on meanwhile) yields.
function restore(onChange) {
  const held = sequence;
  for (const [name, entry] of stored()) {
    if (entry.sequence <= held && !isEmpty(name)) continue;
    place(name, entry.value);
    queue.set(name, entry);
    sequence = Math.max(sequence, entry.sequence);
  }
  persist();
  if (queue.size) onChange();
}

function hearOtherTabs(onChange) {
  channel?.addEventListener("message", ({ data }) => {
    sequence = Math.max(sequence, data.sequence);
    queue.delete(data.name);
    place(data.name, data.value);
    onChange();
  });
}

export function startSaving(onChange) {
  show(url ? "ready" : "preview");
  if (!url) return;
  restore(onChange);
  hearOtherTabs(onChange);
  addEventListener("online", retryNow);
  addEventListener("focus", retryNow);
  addEventListener("pagehide", () => flush());
  addEventListener("beforeunload", (event) => {
    if (isUnsaved()) event.preventDefault();
  });
  retryNow();
}
