// A report that is short: sections open where a link leads, and all of them on paper. Of many tables one is shown; htmx
// fetches another when it is chosen. Without scripts a button leads to it.

function openTarget() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target || !target.closest("details")) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target.scrollIntoView();
}

let opened = [];
function openAll() {
  opened = [...document.querySelectorAll(".report details:not([open])")];
  for (const each of opened) each.open = true;
}
function closeAgain() {
  for (const each of opened) each.open = false;
}

// A link to a table as a file copies what the file holds; where there is no clipboard it stays a download.
async function copyFile(event) {
  const link = event.target.closest("[data-copy-file]");
  if (!link || !navigator.clipboard || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  try {
    const answer = await fetch(link.href);
    if (!answer.ok) throw new Error(answer.statusText);
    await navigator.clipboard.writeText(await answer.text());
    link.parentElement.querySelector("[aria-live]").textContent = ` ${link.textContent}: ${link.dataset.copied}`;
  } catch {
    location.assign(link.href);
  }
}

document.addEventListener("click", copyFile);
for (const each of document.querySelectorAll("[data-without-script]")) each.hidden = true;
addEventListener("hashchange", openTarget);
addEventListener("beforeprint", openAll);
addEventListener("afterprint", closeAgain);
openTarget();
