/* Reading and writing the answers that stand in the page, row by row: a row is one question about an item. */
import { holds } from "./annotate-conditions.js";

/* The fields of one item as the server wants them, with the item's handle, so that no other item is touched. */
export function fieldsOf(form, handle) {
  const fields = [...new FormData(form)].filter(([name]) => name.endsWith(`-${handle}`));
  return [["item", handle], ...fields];
}

/* Put fields that were kept back into the page. */
export function showFields(form, fields) {
  const item = form.querySelector(`[data-item="${CSS.escape(fields[0][1])}"]`);
  for (const input of item?.querySelectorAll('input:not([type="hidden"])') ?? []) {
    input.checked = fields.some(([name, value]) => name === input.name && value === input.value);
  }
  for (const area of item?.querySelectorAll("textarea") ?? []) {
    area.value = fields.find(([name]) => name === area.name)?.[1] ?? "";
  }
  for (const button of item?.querySelectorAll("button[data-arrow]") ?? []) {
    if (fields.some(([name]) => name === button.name)) showPressed(button, fields);
  }
  if (item) showAsked(item);
}

function showPressed(button, fields) {
  const isPressed = fields.some(([name, value]) => name === button.name && value === button.value);
  button.setAttribute("aria-pressed", isPressed);
}

export const rowsOf = (item) => [...item.querySelectorAll("[data-row]:not([hidden])")];

const CHOSEN = ["[data-digit]:checked", "[data-none]:checked", "[data-arrow]:checked", '[aria-pressed="true"]'].join();
const chosenIn = (row) => controlsOf(row).find((control) => control.matches(CHOSEN)) ?? null;

/* The controls of a row; where items are compared, they stand with the items. */
export function controlsOf(row) {
  const own = [...row.querySelectorAll("input, textarea, button")];
  const name = row.dataset.controls;
  return name ? [...row.closest("[data-item]").querySelectorAll(`[name="${CSS.escape(name)}"]`)] : own;
}

export function isAnswered(row) {
  if (row.dataset.row === "box" || "optional" in row.dataset) return true;
  if (row.dataset.row === "text") return row.querySelector("textarea").value.trim() !== "";
  return chosenIn(row) !== null;
}

export const isDone = (item) => rowsOf(item).every(isAnswered);

/* Show the questions that are asked after the answers that stand, hide the others; a gate opens when all before it is
   answered. The server decides the same. */
export function showAsked(item) {
  const answers = {};
  const waiting = {};
  let gate = null;
  let isWaiting = false;
  let isClosed = false;
  for (const row of item.querySelectorAll("[data-row]")) {
    const asked = row.dataset.askedIf ? holds(JSON.parse(row.dataset.askedIf), { ...answers, ...waiting }) : true;
    if (row.closest("[data-gate]") !== gate) {
      gate = row.closest("[data-gate]");
      isClosed = isWaiting;
    }
    row.hidden = asked !== true || isClosed;
    if (row.matches("fieldset")) row.disabled = row.hidden;
    if (row.dataset.controls) for (const control of controlsOf(row)) control.disabled = row.hidden;
    if (asked === true) answers[row.dataset.name] = valueOf(row);
    if (asked === null) waiting[row.dataset.name] = null;
    isWaiting ||= !row.hidden && !isAnswered(row);
  }
  for (const each of item.querySelectorAll("[data-gate], [data-group]")) {
    each.hidden = each.querySelector("[data-row]:not([hidden])") === null;
  }
  showRewording(item);
}

/* Another wording of the item stands beside the first, and at what is asked about it, as it is written. */
function showRewording(item) {
  const row = item.querySelector("[data-rewords]:not([hidden])");
  const text = row?.querySelector("textarea").value.trim() ?? "";
  for (const place of item.querySelectorAll("[data-rewording]")) {
    place.hidden = text === "";
    place.querySelector("[data-echo]").textContent = text;
  }
}

function valueOf(row) {
  if (row.dataset.row === "box") return row.querySelector("input").checked;
  if (row.dataset.row === "text") return row.querySelector("textarea").value.trim() || null;
  return chosenIn(row)?.value ?? null;
}

export function countAnswered(form) {
  for (const item of form.querySelectorAll("[data-item]")) item.classList.toggle("is-answered", isDone(item));
  const pages = document.querySelectorAll("[data-page]");
  for (const page of pages) {
    const item = form.querySelector(`[data-item="${CSS.escape(page.dataset.page)}"]`);
    if (item) page.classList.toggle("is-answered", isDone(item));
  }
  const done = (pages.length ? [...pages] : [...form.querySelectorAll("[data-item]")]).filter((each) =>
    each.classList.contains("is-answered"),
  ).length;
  for (const count of document.querySelectorAll("[data-count]")) {
    count.textContent = count.dataset.count.replace("{done}", done);
  }
}
