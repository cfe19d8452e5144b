// The guideline and the keys, over the page. Without this the button is a plain link to the guideline.

const dialog = document.getElementById("help");

export function help() {
  if (!dialog.open) dialog.showModal();
  return true;
}

export function startHelp() {
  document.querySelector("[data-open=help]").addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    help();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("[data-close]")) dialog.close();
  });
}
