// The database was away when a task was submitted: the page tries again by itself, as often as it takes.

const PAUSE = 2000;

setTimeout(() => document.querySelector("form[data-send-again]").requestSubmit(), PAUSE);
