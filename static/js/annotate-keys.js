/* Single keys: digits tick the options of the current item or rate it, N none, U unsure, T the text, Enter goes on,
   Shift and Enter back. Never with Ctrl, Alt or Meta, never while text is written. */
import { answered } from "./annotate-items.js";

let say = () => {};
let lastToggled = null;
let shownAt = 0;

const root = document.documentElement;
const items = () => [...document.querySelectorAll("[data-item]")];
const current = () => document.querySelector(".item.is-current");

export function setUpKeys() {
  shownAt = performance.now();
  lastToggled = null;
  const legend = document.querySelector(".keys");
  if (legend) {
    legend.hidden = false;
    const box = legend.querySelector("[data-keys]");
    box.checked = wanted();
    box.addEventListener("change", () => want(box.checked));
  }
  want(wanted());
  makeCurrent(items().find((item) => !isDone(item)) ?? items()[0]);
}

export function listenToKeys(tools) {
  say = tools.say;
  document.addEventListener("keydown", onKey);
  for (const kind of ["focusin", "pointerdown"]) {
    document.addEventListener(kind, (event) => makeCurrent(event.target.closest?.("[data-item]")));
  }
  document.addEventListener("change", (event) => {
    if (event.target.name?.startsWith("answer-")) lastToggled = event.target;
  });
}

function wanted() {
  return localStorage.getItem("lesart-keys") !== "off";
}

function want(on) {
  localStorage.setItem("lesart-keys", on ? "on" : "off");
  root.classList.toggle("has-keys", on);
}

function makeCurrent(item) {
  if (!item || item === current()) return;
  current()?.classList.remove("is-current");
  item.classList.add("is-current");
}

function isDone(item) {
  return answered(item, "answer") && answered(item, "rating");
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || !wanted()) return;
  if (event.target.matches("textarea, select, input:not([type=checkbox], [type=radio])")) return;
  if (document.querySelector("dialog[open]")) return;
  if (meaning(event)?.()) event.preventDefault();
}

/* What the key does here: a function that says whether it did it. */
function meaning(event) {
  const key = event.key.toLowerCase();
  if (key === "enter") {
    const isControl = event.target.matches("button, a, summary, [data-keys]");
    return isControl || event.repeat ? null : () => (event.shiftKey ? goBack() : goOn());
  }
  if (event.repeat || !current()) return null;
  const digit = digitOf(event);
  if (digit) return () => (inRating() ? rate(digit) : tick(digit - 1));
  if (event.shiftKey) return null;
  return { n: () => toggle(option("none")), u: markUnsure, t: openText }[key] ?? null;
}

/* By place for keyboards whose digits need Shift. */
function digitOf(event) {
  const found = /^[1-9]$/.exec(event.key) ?? /^(?:Digit|Numpad)([1-9])$/.exec(event.code);
  return found ? Number(found.at(-1)) : 0;
}

function inRating() {
  return Boolean(current().querySelector(".rating")?.contains(document.activeElement));
}

const options = () => [...current().querySelectorAll('input[name^="answer-"]:not([value="none"])')];
const option = (value) => current().querySelector(`input[name^="answer-"][value="${CSS.escape(value)}"]`);

function toggle(input) {
  if (!input) return false;
  input.click();
  input.focus();
  return true;
}

function tick(index) {
  return toggle(options()[index]);
}

function rate(level) {
  const input = current().querySelector(`input[name^="rating-"][value="${level}"]`);
  return input?.checked ? true : toggle(input);
}

function markUnsure() {
  const beside = document.activeElement.closest(".option") ?? lastToggled?.closest(".option");
  const mark = beside?.querySelector('input[name^="unsure-"]');
  if (!mark || !current().contains(mark)) return false;
  mark.click();
  return true;
}

function openText() {
  const link = document.querySelector("[data-open-text]");
  if (!link?.checkVisibility()) return false;
  link.click();
  return true;
}

function goOn() {
  if (!current()) return pressEnterButton();
  const item = current();
  const part = inRating() ? "rating" : "answer";
  if (!answered(item, part)) return remind(item);
  if (part === "answer" && item.querySelector(".rating")) return focusRating(item);
  const list = items();
  const next = list[list.indexOf(item) + 1] ?? list.find((other) => !isDone(other));
  if (next) return focusItem(next);
  document.querySelector("[data-go-on]").click();
  return true;
}

function goBack() {
  if (!current()) return false;
  if (inRating()) return focusItem(current());
  const before = items()[items().indexOf(current()) - 1];
  return before ? focusItem(before) : false;
}

/* Only where one has had time to read: the Enter that opened the page must not answer it. */
function pressEnterButton() {
  const button = document.querySelector("[data-enter]");
  if (!button || performance.now() - shownAt < 500) return false;
  button.click();
  return true;
}

function focusItem(item) {
  makeCurrent(item);
  item.querySelector('input[name^="answer-"]').focus({ preventScroll: true });
  bringIntoView(item);
  return true;
}

function focusRating(item) {
  const rating = item.querySelector(".rating");
  (rating.querySelector(":checked") ?? rating.querySelector("input")).focus({ preventScroll: true });
  rating.scrollIntoView({ block: "nearest" });
  return true;
}

/* The whole item where it fits, else its beginning. */
function bringIntoView(item) {
  const fits = item.offsetHeight < innerHeight - 160;
  item.scrollIntoView({ block: fits ? "nearest" : "start" });
}

function remind(item) {
  const sentence = document.querySelector(".keys").dataset.remind;
  item.querySelector(".problem").textContent = sentence;
  say(sentence);
  return true;
}
