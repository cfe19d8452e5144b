// A judging page in jsdom, with the markup that templates/annotation/ writes, as far as the scripts ask for it. That the scripts
// and the real templates fit is what the browser tests are for.

import { setImmediate as turn } from "node:timers/promises";
import { IDBFactory } from "fake-indexeddb";
import { JSDOM, VirtualConsole } from "jsdom";

const FROM_WINDOW = ["document", "localStorage", "getSelection", "getComputedStyle", "Node", "NodeFilter", "HTMLScriptElement", "Event", "KeyboardEvent", "MouseEvent"];
const MODULES = new URL("../../static/js/judging/", import.meta.url);
let opened = 0;

// Node's channel, which does not keep the process alive.
class Channel extends BroadcastChannel {
  constructor(name) {
    super(name);
    this.unref();
  }
}

const quoted = (value) => JSON.stringify(value).replaceAll("'", "&#39;");

export function criterion(name, { points = [1, 2, 3], checked, forces, locked = "", own = "", optional = false, handed } = {}) {
  const labels = points.map((value) => `<label data-key="${value}"><input type="radio" name="${name}" value="${value}"${value === checked ? " checked" : ""}${locked ? " disabled" : ""}><span class="v">${value}</span><span class="l">word ${value}</span></label>`);
  const flags = [optional ? "" : "data-required", locked && `data-locked data-own="${own}"`, handed === undefined ? "" : `data-handed="${handed}"`].join(" ");
  return `<fieldset id="${name}" data-criterion="${name}" ${flags} ${forces ? `data-forces='${quoted(forces)}'` : ""}><legend><b><span data-name>${name.split(".")[1]}</span></b></legend>${labels.join("")}
    <p data-lost hidden></p><p data-because${locked ? "" : " hidden"}>${locked}</p></fieldset>`;
}

export const spanMark = (name, value = "") =>
  `<fieldset id="${name}" data-criterion="${name}" data-span data-required><legend><b><span data-name>Answer</span></b></legend><input type="hidden" name="${name}" value="${value}">
    <ul class="kept" data-kept></ul><button type="button" data-begin hidden></button><label><input type="checkbox" data-nothing></label><p data-lost hidden></p><p data-because hidden></p></fieldset>`;

export const question = (letter, ...fieldsets) =>
  `<article data-item="${letter}" id="q${letter}"><header><h2 class="text"><span dir="ltr">Question ${letter}?</span></h2></header>${fieldsets.join("")}<textarea name="broken.${letter}" data-report data-draft></textarea></article>`;

const passageOf = (text, returns, lang) =>
  `<section id="source"><p class="passage" lang="${lang}" data-returns="${returns}" tabindex="0">${text}</p></section>
  <div id="marking" data-kept="Marked:" hidden><b data-letter></b><q data-question></q><input type="checkbox" data-exact><button type="button" data-keep></button><button type="button" data-cancel></button><button type="button" data-back></button></div>
  <template id="kept-piece"><li><q></q><button type="button" data-remove aria-label="Remove:"></button></li></template>`;

const SAYS = ["ready", "saving", "saved", "offline", "offline-page", "expired", "refused", "conflict", "left", "preview", "waiting"].map((state) => `data-${state}="${state}"`).join(" ");

// Opens a page and returns its doors: its form, what its modules export, and the server it talks to.
export async function open({ questions, passage = null, returns = "", lang = "en", url = "/draft/", who = "me", sequence = 0, view = "list", server, database = new IDBFactory(), tabs = false }) {
  opened += 1;
  const html = `<!doctype html><html data-view="${view}"><body><form id="judging" data-draft-url="${url}" data-who="${who}" data-account="${who}-account">
    <input type="hidden" name="csrfmiddlewaretoken" value="token"><input type="hidden" name="sequence" value="${sequence}"><input type="hidden" name="token" value="first">
    ${passage === null ? "" : passageOf(passage, returns, lang)}
    <section class="questions"><nav id="strip" data-done="answered" data-part="partly" data-open="open" data-empty="none" data-together="together" data-answer="answer" data-change="change" data-nothing="Nothing" data-to-go="# to go" hidden><span class="letters"></span><small></small><button type="button" id="view-toggle" data-list="List" data-focus="One"><span></span></button></nav>${questions.join("")}</section>
    <div id="rest" hidden><span data-says>Rest.</span><button type="button"></button></div>
    <textarea name="note" data-draft></textarea><p id="elsewhere" hidden><span data-says>Submitted elsewhere.</span></p>
    <footer class="dock"><span id="saved" ${SAYS} data-lost-mine="{question}: you chose {value}." data-lost-theirs="{value} stands." data-instead="Choose {value}"><span data-says></span><a data-on="expired" hidden></a><a data-on="conflict" hidden></a></span>
      <span id="missing" data-to-go="# to go" data-complete="complete"></span><span data-keys hidden></span>
      <button name="action" value="submit" data-needs-all><span data-label data-next="Next: {question}">Submit</span></button><span id="announcer"></span></footer></form>
    <input type="checkbox" id="shortcuts" checked><dialog id="help"></dialog></body></html>`;
  const virtualConsole = new VirtualConsole();
  virtualConsole.on("jsdomError", (error) => queueMicrotask(() => { throw error; })); // an error in a listener fails the test
  const { window } = new JSDOM(html, { url: "http://quaestor.test/", virtualConsole });
  Object.assign(window.Element.prototype, { scrollBy() {}, scrollIntoView() {} }); // jsdom lays nothing out
  window.Range.prototype.getBoundingClientRect = () => new window.DOMRect();
  window.scrollBy = () => {};
  if (tabs) window.BroadcastChannel = Channel;
  for (const name of FROM_WINDOW) globalThis[name] = window[name];
  Object.assign(globalThis, {
    window,
    addEventListener: window.addEventListener.bind(window),
    innerHeight: window.innerHeight,
    requestAnimationFrame: setTimeout,
    CSS: { escape: (text) => text.replace(/[^\w-]/g, "\\$&") },
    BroadcastChannel: Channel,
    ResizeObserver: class { observe() {} },
    indexedDB: database,
    fetch: server?.fetch ?? (() => Promise.reject(new TypeError("no network"))),
  });
  const number = opened;
  const form = window.document.getElementById("judging");
  return {
    window,
    form,
    module: (name) => import(new URL(`${name}.js?page=${number}`, MODULES)),
    says: () => window.document.querySelector("#saved [data-says]").textContent,
    announced: () => window.document.getElementById("announcer").lastElementChild?.textContent ?? "",
    value: (name) => form.querySelector(`input[name="${name}"]:checked`)?.value ?? "",
    choose: (name, value) => (form.querySelector(`input[name="${name}"][value="${value}"]`).checked = true),
  };
}

// What the page's server does, by its promises: it stores the highest number of each name, and says what it refused.
export class Server {
  requests = [];
  held = new Map();
  status = null; // answer everything with this
  isDown = false;
  refuses = new Set(); // names it does not know
  needs = new Map(); // names that stand of a task that was submitted -> why
  token = "first"; // of the page that may submit the task

  fetch = async (address, options) => {
    if (this.isDown) throw new TypeError("no network");
    const answer = await this.answer(address, options);
    answer.headers.set("X-Quaestor-Token", this.token);
    return answer;
  };

  answer = async (address, { body }) => {
    const [names, values, sequence] = [body.getAll("name"), body.getAll("value"), Number(body.get("sequence"))];
    this.requests.push({ address, names, values, sequence });
    if (this.status) return new Response(null, { status: this.status });
    if (names.some((name) => this.refuses.has(name))) return new Response(null, { status: 422 });
    const kept = names.filter((name, at) => values[at] || !this.needs.has(name));
    const stored = this.store(kept, kept.map((name) => values[names.indexOf(name)]), sequence);
    const held_back = names.filter((name) => !kept.includes(name));
    if (!held_back.length) return stored;
    return Response.json({ error: this.needs.get(held_back[0]), lost: {}, held_back, sequence }, { status: 409 });
  };

  store(names, values, sequence) {
    const lost = {};
    for (const [at, name] of names.entries()) {
      const before = this.held.get(name);
      if (before && before.sequence >= sequence && before.value !== values[at]) lost[name] = before.value;
      else this.held.set(name, { value: values[at], sequence });
    }
    if (!Object.keys(lost).length) return new Response(null, { status: 204 });
    return Response.json({ lost, sequence: Math.max(...[...this.held.values()].map((each) => each.sequence)) }, { status: 409 });
  }

  value = (name) => this.held.get(name)?.value;
}

// Waits for what stays once it holds; a thousand turns of the loop are far more than anything here takes.
export async function until(holds) {
  for (let turns = 0; turns < 1000; turns += 1) {
    if (await holds()) return;
    await turn();
  }
  throw new Error(`never held: ${holds}`);
}
