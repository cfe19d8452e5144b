// On a page of several forms the browser asks before one of them is sent, or the page is left, while another has unsent entries.

const changed = new Set();
let sent = null;

document.addEventListener("input", ({ target }) => changed.add(target.form));
document.addEventListener("submit", ({ target }) => (sent = target));
addEventListener("beforeunload", (event) => {
  if ([...changed].some((form) => form !== sent)) event.preventDefault();
  sent = null;
});
