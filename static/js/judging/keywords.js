// The words of the question in view, highlighted in the passage where the campaign wants it.

import { form } from "./page.js";

const passage = document.querySelector("#source .passage");
const isHighlighting = "keywords" in form.dataset && passage !== null && "highlights" in CSS;
const SHORTEST = 4; // letters; numbers count whatever their length
const WORDS = /[\p{L}\p{N}]+/gu;
// Words of this length that say nothing of what a question asks for.
const FUNCTION_WORDS = new Set(
  ("about after also before being does doing during each from have having here into just many more most much only other over some such than that their them then there these they this those through under until very were what when where which while whom whose will with would your " +
    "aber alle also auch dass deren dessen diese diesem diesen dieser durch eine einem einen einer eines haben hatte hatten nach nicht oder sein seine sich sind unter viele waren warum wann weil welche welchem welchen welcher welches wenn werden wieso wird wurde wurden über zwischen").split(" "),
);

const isKeyword = (word) => /\p{N}/u.test(word) || (word.length >= SHORTEST && !FUNCTION_WORDS.has(word));

function keywordsOf(whole) {
  const text = whole?.querySelector("h2.text [dir]")?.textContent.toLowerCase() ?? "";
  return new Set((text.match(WORDS) ?? []).filter(isKeyword));
}

function rangesOf(keywords) {
  const ranges = [];
  const walker = document.createTreeWalker(passage, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const { 0: word, index } of node.data.matchAll(WORDS)) {
      if (!keywords.has(word.toLowerCase())) continue;
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      ranges.push(range);
    }
  }
  return ranges;
}

// Return the condition under which the answers of this page are given; "" where there is no passage.
export function keywordDisplay() {
  if (passage === null) return "";
  return isHighlighting ? "highlighted" : "plain";
}

// Called whenever another question comes into view.
export function showKeywords() {
  if (!isHighlighting) return;
  const whole = form.querySelector("[data-item].now") ?? form.querySelector("[data-item].shown");
  CSS.highlights.set("keywords", new Highlight(...rangesOf(keywordsOf(whole))));
}
