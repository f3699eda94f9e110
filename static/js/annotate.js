/* What makes an annotator's page better than it is without a script: answers are kept as they are given, the next part
   comes without a reload, keys work, and on small screens the text is one tap away. */
import { activeSeconds, countActive } from "./annotate-active.js";
import { Drafts } from "./annotate-drafts.js";
import { isJustShown, listenToKeys, setUpKeys } from "./annotate-keys.js";
import { countAnswered, fieldsOf, showAsked, showFields } from "./annotate-items.js";
import { setUpDisplay } from "./annotate-display.js";
import { setUpSource } from "./annotate-source.js";

const PART = "X-Lesart-Part";
let drafts = null;
let isSending = false;
let typing = 0;

const live = document.createElement("p");
live.className = "visually-hidden";
live.setAttribute("aria-live", "polite");
document.body.append(live);

function say(sentence) {
  live.textContent = "";
  live.textContent = sentence;
}

function showState(name) {
  const place = document.getElementById("save-state");
  const isBad = !["saved", "saving"].includes(name);
  const wasBad = place.classList.contains("is-bad");
  place.textContent = place.dataset[name];
  place.dataset.is = name;
  place.classList.toggle("is-bad", isBad);
  if (isBad !== wasBad) say(place.textContent);
}

function showOver(sentence) {
  document.getElementById("save-state").textContent = "";
  const note = document.createElement("div");
  note.className = "note warning";
  note.setAttribute("role", "alert");
  const text = document.createElement("p");
  text.textContent = `${sentence} `;
  const link = document.createElement("a");
  link.href = location.href;
  const goOn = document.querySelector("[data-go-on]")?.firstChild.textContent.trim();
  link.textContent = goOn ?? document.getElementById("stage").dataset.next;
  text.append(link);
  note.append(text);
  document.querySelector(".intro").prepend(note);
  scrollTo(0, 0);
}

function setUpStage() {
  drafts = null;
  const form = document.getElementById("stage");
  if (!form) return;
  drafts = new Drafts(form.dataset.draft, form.elements.token.value, showState, showOver);
  drafts.kept().forEach((entry) => showFields(form, entry));
  form.querySelectorAll("[data-item]").forEach(showAsked);
  form.addEventListener("change", (event) => keep(form, event.target));
  form.addEventListener("input", (event) => {
    if (!event.target.matches("[data-item] textarea")) return;
    showAsked(event.target.closest("[data-item]"));
    keepSoon(form, event.target);
  });
  countAnswered(form);
  drafts.send();
}

function keep(form, input) {
  clearTimeout(typing);
  const item = input.closest("[data-item]");
  if (!item || !form.isConnected) return;
  keepApart(input);
  showAsked(item);
  for (const place of [item, input.closest("[data-row]")]) place?.querySelector(".problem")?.replaceChildren();
  item.classList.remove("is-wrong");
  drafts.add(fieldsOf(form, item.dataset.item));
  countAnswered(form);
  if (item.matches("[data-pair]") && !input.matches("textarea")) {
    form.querySelector(".go-on").scrollIntoView({ block: "nearest" });
  }
}

/* A button that is an answer: shown and kept until the server has it. */
function keepPressed(form, button) {
  const fields = [...fieldsOf(form, button.closest("[data-item]").dataset.item), [button.name, button.value]];
  showFields(form, fields);
  drafts.put(fields);
}

/* While somebody writes: a moment after the last key. */
function keepSoon(form, area) {
  clearTimeout(typing);
  typing = setTimeout(() => keep(form, area), 800);
}

/* "None" and a ticked option contradict each other, and so do two choices that must differ. */
function keepApart(input) {
  if (input.matches("[data-apart]:checked")) {
    for (const other of input.closest("[data-item]").querySelectorAll("[data-apart]:checked")) {
      if (other !== input && other.value === input.value) other.checked = false;
    }
  }
  const row = input.closest('[data-row="tick"]');
  if (!row || !input.checked || !input.matches("[data-digit], [data-none]")) return;
  for (const other of row.querySelectorAll("[data-digit], [data-none]")) {
    if (other.matches("[data-none]") !== input.matches("[data-none]")) other.checked = false;
  }
}

async function sendForm(form, pressed) {
  if (isSending) return;
  isSending = true;
  clearTimeout(typing);
  if (pressed?.matches("[data-arrow]")) keepPressed(form, pressed);
  const button = pressed ?? form.querySelector("button.primary");
  button.setAttribute("aria-busy", "true");
  await drafts?.rest();
  const problem = await post(form, pressed);
  isSending = false;
  button.removeAttribute("aria-busy");
  if (!problem) return;
  drafts?.wake();
  showState(problem);
  say(document.getElementById("save-state").textContent);
}

/* Returns what kept the form from arriving, or nothing. */
async function post(form, pressed) {
  let reply, page;
  const body = new URLSearchParams(new FormData(form, pressed));
  body.append("active", activeSeconds());
  try {
    reply = await fetch(form.action, {
      method: "POST",
      body,
      headers: { [PART]: "1" },
      signal: AbortSignal.timeout(30000),
    });
    page = await reply.text();
  } catch {
    return "offline";
  }
  if (!reply.headers.has(PART)) return reply.status === 404 ? "unknown" : "refused";
  if (reply.status !== 409) drafts?.forget();
  putIn(page);
  return null;
}

function putIn(page) {
  const next = new DOMParser().parseFromString(page, "text/html");
  document.title = next.title;
  document.querySelector(".work-head").replaceWith(next.querySelector(".work-head"));
  document.querySelector("main").replaceWith(next.querySelector("main"));
  const address = document.querySelector(".work-head").dataset.address;
  if (address !== location.pathname) history.pushState(null, "", address);
  scrollTo(0, 0);
  setUp();
  (document.getElementById("missing") ?? document.querySelector("h1")).focus({ preventScroll: true });
  say(document.title);
}

function setUp() {
  setUpDisplay();
  countActive(document.querySelector("main [name=token]")?.value);
  setUpStage();
  setUpSource();
  setUpAloud();
  setUpKeys();
}

/* Its script is loaded only where the study offers it. What was being read ends with its page. */
function setUpAloud() {
  window.speechSynthesis?.cancel();
  const button = document.querySelector("[data-aloud]");
  if (button) import(button.dataset.aloud).then((aloud) => aloud.setUp(button));
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-part]")) return;
  event.preventDefault();
  if (event.submitter?.matches("[data-arrow]") && isJustShown()) return; // a second tap on the pair before
  sendForm(event.target, event.submitter);
});
addEventListener("popstate", () => location.reload());
addEventListener("pageshow", (event) => {
  // A page from the back/forward cache may be long over: the server says where one is.
  if (!event.persisted) return;
  document.querySelectorAll("button, input").forEach((control) => (control.disabled = true));
  location.reload();
});
addEventListener("beforeunload", (event) => {
  drafts?.flush();
  if (drafts?.isAtRisk) event.preventDefault();
});
addEventListener("pagehide", () => drafts?.flush());
document.addEventListener("visibilitychange", () => document.hidden && drafts?.flush());
listenToKeys({ say });
setUp();
