// A task that was submitted in another tab or on another device: this page says so, leads on, and takes no more answers, which
// would not count.

import { announce, form } from "./page.js";

const notice = document.getElementById("elsewhere");
const ANSWERING = "fieldset[data-criterion] :is(input, select, button), textarea, button[name=action], [data-undo]";

export const isOver = () => notice?.hidden === false;

const submitsItself = () => form.querySelector("button[name=action][aria-disabled]");

export function tellSubmittedElsewhere() {
  if (!notice?.hidden || submitsItself()) return;
  notice.hidden = false;
  for (const control of form.querySelectorAll(ANSWERING)) control.disabled = true;
  announce(notice.querySelector("[data-says]").textContent);
}
