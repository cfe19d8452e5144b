// Buttons that copy a text of the page: templates/includes/copy.html.

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent.trim());
    button.querySelector("span").textContent = button.dataset.copied;
  } catch {
    getSelection().selectAllChildren(source);
  }
}

// Without a secure context there is no clipboard; a button that cannot work is not shown.
export function revealCopyButtons(root) {
  for (const button of root.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
}

export function startCopying() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) copy(button);
  });
  revealCopyButtons(document);
}
