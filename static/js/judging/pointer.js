// Pointer input that cannot be meant as an answer is ignored: the further clicks of a double click, and a press on a criterion
// before a person can have seen that it has appeared. Keys answer at once, and the page can be scrolled and zoomed meanwhile.

const REACTION_TIME = 350; // ms
let appearedAt = -Infinity; // when they were painted; Infinity until then
let appearances = 0;
let isTooEarly = false; // the press that began last

// Called whenever criteria come into view. A busy device paints them much later: a frame is painted after its callbacks have
// run, and before the next task.
export function noteAppearance() {
  const appearance = (appearances += 1);
  appearedAt = Infinity;
  requestAnimationFrame(() => setTimeout(() => {
    if (appearance === appearances) appearedAt = performance.now();
  }));
}

const isOnCriterion = (event) => event.target.closest?.("fieldset[data-criterion]");

function onPointerDown(event) {
  isTooEarly = Boolean(isOnCriterion(event)) && event.timeStamp - appearedAt < REACTION_TIME;
}

// The press itself opens a list and turns a number.
function onMouseDown(event) {
  if (isTooEarly) event.preventDefault();
}

// A key makes a click too: its detail is 0.
function onClick(event) {
  if (!isOnCriterion(event) || !event.detail || (event.detail === 1 && !isTooEarly)) return;
  event.preventDefault();
  event.stopPropagation();
}

export function startPointer() {
  addEventListener("pointerdown", onPointerDown, true);
  addEventListener("mousedown", onMouseDown, true);
  addEventListener("click", onClick, true);
}
