// A report that is short: one table of many at a time, sections that open where a link leads, all of it on paper.
// Without scripts every table is there, each behind its own click.

function showOne(choices, place) {
  choices.forEach((each, own) => {
    each.hidden = own !== place;
    if (own === place && each.matches("details")) each.open = true;
  });
}

function prepareSwitch(root) {
  const choices = [...root.querySelectorAll(":scope > [data-choice]")];
  const select = root.querySelector("select");
  for (const each of choices) each.querySelector(":scope > summary")?.setAttribute("hidden", "");
  root.querySelector(".switch").hidden = false;
  select.addEventListener("change", () => showOne(choices, select.selectedIndex));
  showOne(choices, select.selectedIndex);
}

function openTarget() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const fold = target && target.closest("details");
  if (!fold) return;
  fold.open = true;
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

document.querySelectorAll("[data-switch]").forEach(prepareSwitch);
addEventListener("hashchange", openTarget);
addEventListener("beforeprint", openAll);
addEventListener("afterprint", closeAgain);
openTarget();
