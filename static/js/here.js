// Whoever reads on keeps what is kept for them: the page says every few minutes that it is open, since nothing else may be sent.

const AGAIN = 5 * 60 * 1000;
const { here } = document.querySelector("script[data-here]").dataset;

// A server that does not answer is told the next time; one that leads to the log-in page has nothing to keep.
setInterval(() => fetch(here, { redirect: "manual" }).catch(() => {}), AGAIN);
