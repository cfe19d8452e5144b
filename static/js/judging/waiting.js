// Answers and submissions that the server has not confirmed yet, kept by the browser itself (IndexedDB): they outlast the tab
// and the browser. An answer is found by the task's address and the control's name, a submission by the task's address. Each
// carries `who` gave it, so that it is never sent under another person's session.

const DATABASE = "quaestor";
const ANSWERS = "waiting";
const SUBMISSIONS = "submissions";

const asked = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

function open() {
  const request = indexedDB.open(DATABASE, 2);
  request.onupgradeneeded = () => {
    const stores = request.result.objectStoreNames;
    if (!stores.contains(ANSWERS)) request.result.createObjectStore(ANSWERS, { keyPath: ["url", "name"] });
    if (!stores.contains(SUBMISSIONS)) request.result.createObjectStore(SUBMISSIONS, { keyPath: "url" });
  };
  return asked(request);
}

let opened = null;
let works = true; // false where the browser forbids it or has no room: what waits is then on this page only

async function within(mode, act, name = ANSWERS) {
  try {
    opened ??= open();
    const store = (await opened).transaction(name, mode).objectStore(name);
    return await asked(act(store));
  } catch {
    works = false;
    return null;
  }
}

export const isKept = () => works;

export const keep = (entry) => within("readwrite", (store) => store.put(entry));

// A later answer may have taken the place of the one that was confirmed: that one stays.
export async function drop(entry) {
  const held = await within("readonly", (store) => store.get([entry.url, entry.name]));
  if (held?.sequence === entry.sequence && held.value === entry.value) {
    await within("readwrite", (store) => store.delete([entry.url, entry.name]));
  }
}

export const everything = async (who) => ((await within("readonly", (store) => store.getAll())) ?? []).filter((entry) => entry.who === who);

// ---- submissions

export const keepSubmission = (submission) => within("readwrite", (store) => store.put(submission), SUBMISSIONS);

export const dropSubmission = (url) => within("readwrite", (store) => store.delete(url), SUBMISSIONS);

export const submissions = async (who) =>
  ((await within("readonly", (store) => store.getAll(), SUBMISSIONS)) ?? []).filter((submission) => submission.who === who);
