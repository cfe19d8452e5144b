// The judging page as the other modules see it: criteria, their answers, and the words of the dock.
// templates/annotation/judge.html describes the markup.

export const form = document.getElementById("judging");
const announcer = document.getElementById("announcer");

export const isFocus = () => document.documentElement.dataset.view === "focus";
export const criteria = () => [...form.querySelectorAll("fieldset[data-criterion]")];
export const criterion = (name) => criteria().find((fieldset) => fieldset.dataset.criterion === name);
export const item = (fieldset) => fieldset.closest("[data-item]");
export const isLocked = (fieldset) => fieldset.hasAttribute("data-locked");
// What holds the answer: of a span to be marked one hidden field, which the buttons around it write.
export const controls = (fieldset) => [...fieldset.querySelectorAll("span" in fieldset.dataset ? "input[type=hidden]" : "input, select")];

export function valueOf(fieldset) {
  const [first] = controls(fieldset);
  if (first.type === "radio") return fieldset.querySelector("input:checked")?.value ?? "";
  return first.validity.valid ? first.value : "";
}

// Sets a value without telling anybody: whoever calls decides what follows.
export function setValue(fieldset, value) {
  for (const control of controls(fieldset)) {
    if (control.type === "radio") control.checked = control.value === value;
    else control.value = value;
  }
}

// Frozen: set by a rule, or given in an earlier step.
export const isFrozen = (fieldset) => controls(fieldset).every((control) => control.disabled);
// Of a question that is reported as broken nothing is missing.
export const isReported = (fieldset) => Boolean(item(fieldset).querySelector("[data-report]")?.value.trim());
export const isMissing = (fieldset) => fieldset.hasAttribute("data-required") && !isReported(fieldset) && !isFrozen(fieldset) && valueOf(fieldset) === "";

// A number that is outside its scale, or no whole number: it is no answer.
export const isOffScale = (fieldset) => !isFrozen(fieldset) && controls(fieldset).some((control) => !control.validity.valid);

// "B, Grammaticality": where an answer belongs, and what it is called on its scale.
export const nameOf = (fieldset) => fieldset.querySelector("legend [data-name]").textContent;
export const titleOf = (fieldset) => [item(fieldset).dataset.item, nameOf(fieldset)].filter(Boolean).join(", ");

export function wordsOf(fieldset, value) {
  const point = fieldset.querySelector(`input[type=radio][value="${CSS.escape(value)}"]`)?.closest("label");
  const option = fieldset.querySelector(`option[value="${CSS.escape(value)}"]`);
  const words = point ? [point.querySelector(".v"), point.querySelector(".l")].map((part) => part?.textContent ?? "").join(" ") : option?.textContent;
  return (words ?? value).trim() || "–";
}

export const csrfToken = () =>
  document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] ?? form.elements.csrfmiddlewaretoken?.value ?? "";

// Whose page it is: the server takes nothing for somebody else who has logged in in this browser since.
export const asOpened = () => ({ "X-Quaestor-Account": form.dataset.account });

const SAME_ACT = 500; // ms in which one act of the annotator has all its effects announced
let actBegan = 0;

// What follows from one act is announced line by line, so that nothing is cut off; the lines of the next act replace them.
export function announce(text) {
  if (performance.now() - actBegan > SAME_ACT) {
    announcer.replaceChildren();
    actBegan = performance.now();
  }
  const line = document.createElement("p");
  line.textContent = text;
  announcer.append(line);
}
