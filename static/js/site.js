// Small kindnesses on every page. Each works on markup that is complete without it.

import { revealCopyButtons, startCopying } from "./copying.js";

function closeMenus(except) {
  for (const menu of document.querySelectorAll("details[data-menu][open]")) {
    if (menu !== except) menu.open = false;
  }
}

function menuKey(event) {
  const menu = event.key === "Escape" && document.querySelector("details[data-menu][open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
}

function dismiss(button) {
  const list = button.closest(".messages");
  button.closest(".message").remove();
  if (!list.querySelector(".message")) list.remove();
}

function revealButtons(root) {
  for (const button of root.querySelectorAll("[data-dismiss]")) button.hidden = false;
  revealCopyButtons(root);
}

function prepareDropzone(zone) {
  const input = zone.querySelector("input[type=file]");
  const light = (on) => (event) => {
    event.preventDefault();
    zone.classList.toggle("over", on);
  };
  zone.addEventListener("dragover", light(true));
  zone.addEventListener("dragleave", light(false));
  zone.addEventListener("drop", (event) => {
    light(false)(event);
    if (!event.dataTransfer.files.length) return;
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  // a form that needs nothing but files is sent with them, unless its folded fields are open
  const form = input.form;
  if (form.hasAttribute("data-files-suffice")) {
    input.addEventListener("change", () => form.querySelector("details[open]") || form.requestSubmit());
  }
}

// A form is sent once; it wakes when the page is shown again (back button), or when the answer was a download and the page stayed.
const STOPPED = 5000;

function sendOnce(event) {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post" || form.hasAttribute("data-own-submit")) return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "yes";
  setTimeout(() => delete form.dataset.sent, STOPPED);
}

function wakeForms() {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
}

// A part that changes while others work is fetched again, unless it is out of sight or somebody is in it.
const AGAIN = 20000;

function refresh() {
  for (const part of document.querySelectorAll("[data-refresh]")) {
    if (!document.hidden && !part.contains(document.activeElement)) part.dispatchEvent(new Event("refresh"));
  }
}

if (document.querySelector("[data-refresh]")) setInterval(refresh, AGAIN);

// A row of tabs that is wider than the screen shows the one that is open.
function showTab(tab) {
  const row = tab.parentElement;
  const beyond = tab.getBoundingClientRect().right - row.getBoundingClientRect().right;
  if (beyond > 0) row.scrollLeft += beyond + tab.offsetWidth;
}

// A moment is in UTC without scripts, and in the browser's time zone with them; the day is left out if it is today.
function showLocalTime(element) {
  const moment = new Date(element.dateTime);
  const isToday = moment.toDateString() === new Date().toDateString();
  const format = { timeStyle: "short", ...(isToday ? {} : { dateStyle: "medium" }) };
  element.textContent = new Intl.DateTimeFormat(document.documentElement.lang, { ...format, hour12: false }).format(moment);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-dismiss]");
  if (button) dismiss(button);
  closeMenus(event.target.closest("details[data-menu]"));
});
document.addEventListener("keydown", menuKey);
document.addEventListener("submit", sendOnce);
addEventListener("pageshow", wakeForms);
document.addEventListener("htmx:load", (event) => revealButtons(event.detail.elt));
document.querySelectorAll("[data-dropzone]").forEach(prepareDropzone);
document.querySelectorAll(".tabs [aria-current]").forEach(showTab);
document.querySelectorAll("time[data-local]").forEach(showLocalTime);
startCopying();
revealButtons(document);
