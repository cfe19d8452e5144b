// Answers the server has not confirmed yet, kept by the browser itself (IndexedDB): they outlast the tab and the browser.
// Each goes by the task's address and the control's name, with whose it is, so that nobody sends another person's answers.

const DATABASE = "quaestor";
const STORE = "waiting";

const asked = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

function open() {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: ["url", "name"] });
  return asked(request);
}

let opened = null;
let works = true; // false where the browser forbids it or has no room: what waits is then on this page only

async function within(mode, act) {
  try {
    opened ??= open();
    const store = (await opened).transaction(STORE, mode).objectStore(STORE);
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
