/* Single keys: digits answer the current row of the current item, N none, U unsure, T the text, R reads aloud, Enter goes on, Shift
   and Enter back; Backspace leads back to what was handed in last, where that can be. Where a row says so, a digit also goes on. Of a pair the arrows choose, and digits tick. Never with Ctrl, Alt or Meta, never while text is written. */
import { controlsOf, isAnswered, isDone, rowsOf } from "./annotate-items.js";
import { makeDialog } from "./annotate-dialog.js";

let announce = () => {};
let lastToggled = null;
let shownAt = 0;
let typed = ""; // digits that may go on to a number above 9
let waiting = 0;
const NEXT_DIGIT = 700; // milliseconds to type the second
const SOON = 300; // milliseconds in which a key or tap may still be meant for the page before

const root = document.documentElement;
const items = () => [...document.querySelectorAll("[data-item]")];
const current = () => document.querySelector(".item.is-current");

export function setUpKeys() {
  shownAt = performance.now();
  lastToggled = null;
  forgetTyped();
  const legend = document.querySelector(".keys");
  if (legend) {
    legend.hidden = false;
    const box = legend.querySelector("[data-keys]");
    box.checked = wanted();
    box.addEventListener("change", () => want(box.checked));
    setUpSheet(legend);
  }
  want(wanted());
  makeCurrent(items().find((item) => !isDone(item)) ?? items()[0]);
}

export function listenToKeys(tools) {
  announce = tools.say;
  document.addEventListener("keydown", onKey);
  for (const kind of ["focusin", "pointerdown"]) {
    document.addEventListener(kind, (event) => {
      makeCurrent(event.target.closest?.("[data-item]"));
      explain(event.target.closest?.("[data-row]"));
    });
  }
  document.addEventListener("change", (event) => {
    if (event.target.matches('[data-row="tick"] [data-digit]')) lastToggled = event.target;
  });
}

export const isJustShown = () => performance.now() - shownAt < SOON;

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
  explain(rowsOf(item)[0]);
}

/* The levels of the row at hand are explained, those of no other. */
function explain(row) {
  if (!row) return;
  for (const other of document.querySelectorAll("[data-row].is-here")) other.classList.remove("is-here");
  row.classList.add("is-here");
  const parts = [...document.querySelectorAll("[data-anchors-of]")];
  if (!parts.some((part) => part.dataset.anchorsOf === row.dataset.name)) return;
  for (const part of parts) part.classList.toggle("is-here", part.dataset.anchorsOf === row.dataset.name);
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || !wanted()) return;
  if (event.target.matches("textarea, select, input:not([type=checkbox], [type=radio])")) return;
  if (document.querySelector("dialog[open]")) return;
  if (typed && !digitOf(event) && event.key !== "Shift") answerTyped();
  if (meaning(event)?.()) event.preventDefault();
}

/* What the key does here: a function that says whether it did it. */
function meaning(event) {
  const key = event.key.toLowerCase();
  if (key === "enter") {
    const isControl = event.target.matches("button, a, summary, [data-keys]");
    return isControl || event.repeat ? null : () => (event.shiftKey ? goBack() : goOn());
  }
  if (key === "backspace") return event.repeat ? null : takeBack;
  if (event.key === "?") return openSheet;
  if (key === "r" && !event.shiftKey) return event.repeat ? null : toggleReading;
  if (event.repeat || !current()) return null;
  const arrow = /^arrow(left|right|down)$/.exec(key)?.[1];
  if (arrow) return current().matches("[data-pair]") && !event.shiftKey ? () => choose(arrow) : null;
  const digit = digitOf(event);
  if (digit && current().matches("[data-pair]")) return () => toggle(shownTick(digit));
  if (digit) return () => takeDigit(digit);
  if (event.shiftKey) return null;
  return { n: () => toggle(current().querySelector("[data-none]")), u: markUnsure, t: openText }[key] ?? null;
}

/* By place for keyboards whose digits need Shift. */
function digitOf(event) {
  const found = /^[0-9]$/.exec(event.key) ?? /^(?:Digit|Numpad)([0-9])$/.exec(event.code);
  return found ? found.at(-1) : "";
}

/* A digit answers at once, unless the row also has a number that begins with it: then it waits for the second. */
function takeDigit(digit) {
  const numbers = controlsOf(currentRow()).map((control) => control.dataset.digit ?? "");
  if (typed && !numbers.includes(typed + digit)) answerTyped();
  const number = typed + digit;
  if (!numbers.some((other) => other.length > number.length && other.startsWith(number))) {
    forgetTyped();
    return answer(currentRow(), number);
  }
  clearTimeout(waiting);
  typed = number;
  waiting = setTimeout(answerTyped, NEXT_DIGIT);
  return true;
}

function answerTyped() {
  const number = typed;
  forgetTyped();
  if (number && current()) answer(currentRow(), number);
}

function forgetTyped() {
  clearTimeout(waiting);
  typed = "";
}

/* All keys of the page, for “?” and its button. */
function setUpSheet(legend) {
  const opener = legend.querySelector("[data-keys-sheet]");
  const sheet = makeDialog(legend.querySelector("ul").cloneNode(true), legend.dataset.title, legend.dataset.close);
  sheet.dataset.sheet = "keys";
  document.querySelector("main").append(sheet);
  opener.addEventListener("click", openSheet);
}

function openSheet() {
  const sheet = document.querySelector("[data-sheet=keys]");
  sheet?.showModal();
  return Boolean(sheet);
}

/* The row that has the focus, else the first of the current item. */
function currentRow() {
  const rows = rowsOf(current());
  const active = document.activeElement;
  return rows.find((row) => row.contains(active) || controlsOf(row).includes(active)) ?? rows[0];
}

function toggle(input) {
  if (!input) return false;
  input.click();
  input.focus();
  return true;
}

/* A button hands the pair in; a radio opens the ticks. */
function choose(arrow) {
  if (isJustShown()) return true;
  return toggle(current().querySelector(`[data-arrow="${arrow}"]`));
}

const shownTick = (digit) => current().querySelector(`[data-row="box"]:not([hidden]) [data-tick="${digit}"]`);

function answer(row, digit) {
  const input = row && controlsOf(row).find((control) => control.dataset.digit === digit);
  if (!input) return false;
  if (!(input.type === "radio" && input.checked)) toggle(input);
  if ("movesOn" in row.dataset) moveOn(row);
  return true;
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
  const opener = link?.checkVisibility() ? link : document.querySelector("[data-text-fold] > summary");
  opener?.click();
  return Boolean(opener);
}

function goOn() {
  if (!current()) return pressEnterButton();
  const row = currentRow();
  if (!isAnswered(row)) return remind(current());
  if (current().matches("[data-pair]")) return handIn(current());
  if (!moveOn(row)) document.querySelector("[data-go-on]").click();
  return true;
}

function handIn(pair) {
  (pair.querySelector('[aria-pressed="true"]') ?? document.querySelector("[data-go-on]")).click();
  return true;
}

/* To the next row, of this item or the next, else to one that is not answered; false if there is none. A digit does not
   hand in: it leads to the button. */
function moveOn(row) {
  const item = current();
  const rows = rowsOf(item);
  const next = rows[rows.indexOf(row) + 1];
  if (next) return focusRow(next);
  const list = items();
  const following = list[list.indexOf(item) + 1];
  if (following) return focusItem(following);
  const left = list.flatMap(rowsOf).find((other) => !isAnswered(other));
  if (left) return focusRow(left);
  document.querySelector("[data-go-on]").focus();
  return false;
}

function goBack() {
  if (!current()) return false;
  const rows = rowsOf(current());
  const before = rows[rows.indexOf(currentRow()) - 1];
  if (before) return focusRow(before);
  const item = items()[items().indexOf(current()) - 1];
  if (item) return focusItem(item);
  const button = document.querySelector("[data-go-back]");
  button?.click();
  return Boolean(button);
}

function takeBack() {
  const button = document.querySelector("[data-take-back]");
  if (!button) return false;
  if (!isJustShown()) button.click();
  return true;
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
  control(rowsOf(item)[0]).focus({ preventScroll: true });
  bringIntoView(item);
  return true;
}

function focusRow(row) {
  makeCurrent(row.closest("[data-item]"));
  control(row).focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
  return true;
}

function control(row) {
  const all = controlsOf(row).filter((each) => each.matches("input, textarea"));
  return all.find((each) => each.matches("[type=radio]:checked")) ?? all[0];
}

/* The whole item where it fits, else its beginning. */
function bringIntoView(item) {
  const fits = item.offsetHeight < innerHeight - 160;
  item.scrollIntoView({ block: fits ? "nearest" : "start" });
}

function remind(item) {
  const sentence = document.querySelector(".keys").dataset.remind;
  item.querySelector(".problem").textContent = sentence;
  announce(sentence);
  return true;
}

function toggleReading() {
  const button = document.querySelector("[data-aloud]:not(:disabled)");
  button?.click();
  return Boolean(button);
}
