// The protocol editor: a preview that follows what is typed, the focus after a row came or went, and a word before
// unsaved entries are left. Rows themselves are made by the server, with or without scripts.

const WAIT = 500;
let timer, dirty = false;

const form = () => document.getElementById("editor-form");

function refresh() {
  clearTimeout(timer);
  timer = setTimeout(() => htmx.trigger("#live", "refresh"), WAIT);
}

function tell(state) {
  dirty = state;
  const place = form()?.querySelector("[data-dirty]");
  if (place) place.textContent = state ? form().dataset.unsaved : "";
}

function goTo(place) {
  if (!place) return;
  const part = document.getElementById(`at-${place}`);
  part?.querySelector("input:not([type=hidden]), select, textarea")?.focus();
  part?.scrollIntoView({ block: "center" });
}

document.addEventListener("input", ({ target }) => {
  if (target.form !== form()) return;
  tell(true);
  refresh();
});
document.addEventListener("submit", ({ target }) => {
  if (target === form()) tell(false);
});
document.addEventListener("htmx:load", ({ detail }) => {
  if (detail.elt.id !== "editor") return;
  tell(false);
  goTo(detail.elt.dataset.focus);
  refresh();
});
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if ([409, 422].includes(detail.xhr.status)) detail.shouldSwap = true; // the page says what is wrong
});
addEventListener("beforeunload", (event) => {
  if (dirty) event.preventDefault();
});
