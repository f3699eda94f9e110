/* The coding page with keys: j and k move, Space selects, a key sets its code on the selected items, else on the one at
   hand, and z undoes. Only what has changed comes back from the server. Without this script the same form posts. */
const form = document.querySelector("[data-coding]");

function start() {
  for (const part of document.querySelectorAll(".script-only")) part.hidden = false;
  for (const part of document.querySelectorAll(".without-script")) part.hidden = true;
  setUpSwitch();
  form.addEventListener("submit", onSubmit);
  form.addEventListener("change", onChange);
  form.addEventListener("focusin", (event) => makeCurrent(event.target.closest("[data-item]")));
  form.addEventListener("click", (event) => makeCurrent(event.target.closest("[data-item]")));
  document.addEventListener("keydown", onKey);
  const narrow = matchMedia("(max-width: 61.99rem)");
  for (const part of document.querySelectorAll("#coding-text, #coding-filter")) part.open &&= !narrow.matches;
  makeCurrent(items()[0]);
}

const items = () => [...form.querySelectorAll("[data-item]")];
const current = () => form.querySelector("[data-item].is-current");
const box = (item) => item.querySelector('input[name="items"]');
const selected = () => items().filter((item) => box(item).checked);
const targets = () => (selected().length ? selected() : [current()].filter(Boolean));
const say = (words) => (document.querySelector("#coding-message").textContent = words);

/* Keys ---------------------------------------------------------------------------------------------------------- */

function wanted() {
  return localStorage.getItem("lesart-keys") !== "off";
}

function setUpSwitch() {
  const control = form.querySelector("[data-keys]");
  if (!control) return;
  control.checked = wanted();
  control.addEventListener("change", () => localStorage.setItem("lesart-keys", control.checked ? "on" : "off"));
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || !wanted()) return;
  if (event.key === "Enter" && event.target.matches("#id_own_kind, #id_own_category")) {
    event.preventDefault();
    press(form.querySelector('[name="own"]'));
  }
  if (event.target.matches("textarea, select, input:not([type=checkbox])")) return;
  if (meaning(event)?.()) event.preventDefault();
}

function meaning(event) {
  const key = digitOf(event) || event.key.toLowerCase();
  const inList = event.target.closest?.("[data-item]") || event.target === document.body;
  if (key === "j" || (key === "arrowdown" && inList)) return () => move(1);
  if (key === "k" || (key === "arrowup" && inList)) return () => move(-1);
  if (key === "enter") return event.target.matches("button, a, summary, [data-text-place]") ? null : () => move(1);
  if (event.repeat) return null;
  if (key === "escape") return selectNone;
  if (key === "t") return toggleText;
  if (key === "z") return () => press(form.querySelector("[data-undo]"));
  if (key.length === 1 && key !== " ") {
    return () => press(form.querySelector(`[data-key="${CSS.escape(key)}"]`));
  }
  return null;
}

/* By place for keyboards whose digits need Shift. */
function digitOf(event) {
  return /^(?:Digit|Numpad)([0-9])$/.exec(event.code)?.[1] ?? "";
}

function press(button) {
  if (button) form.requestSubmit(button);
  else say(form.dataset.nothing);
  return true;
}

function selectNone() {
  for (const item of selected()) box(item).checked = false;
  onChange();
  return true;
}

function toggleText() {
  const text = document.querySelector("#coding-text");
  if (!text) return true;
  text.open = !text.open;
  if (text.open) text.scrollIntoView({ block: "nearest" }); // beneath all the codes it may be out of sight
  return true;
}

/* Moving -------------------------------------------------------------------------------------------------------- */

function move(by) {
  const all = items();
  const place = all.indexOf(current()) + by;
  if (place >= all.length) return goOn();
  return stand(all[Math.max(0, place)]);
}

function stand(item, takesFocus = true) {
  if (!item) return false;
  makeCurrent(item);
  if (takesFocus) box(item).focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest" });
  return true;
}

/* After the last item comes the next page; where coded items leave the list, it is the same page again. */
function goOn() {
  if (changed && new URLSearchParams(location.search).get("state")) location.reload();
  else document.querySelector('.coding-list a[rel="next"]')?.click();
  return true;
}

function makeCurrent(item) {
  if (!item || item === current()) return;
  current()?.classList.remove("is-current");
  item.classList.add("is-current");
  showText(item.dataset.text);
}

const texts = new Map();
let shownText = "";

async function showText(address) {
  const place = document.querySelector("[data-text-place]");
  if (!place || address === shownText) return;
  shownText = address;
  if (!texts.has(address)) {
    try {
      const response = await fetch(address, { headers: { "X-Requested-With": "fetch" } });
      if (!response.ok) throw new Error(response.status);
      texts.set(address, await response.text());
    } catch {
      say(form.dataset.lost);
      shownText = "";
      return;
    }
  }
  if (shownText !== address) return;
  const page = new DOMParser().parseFromString(texts.get(address), "text/html");
  place.replaceChildren(...page.body.childNodes);
  place.scrollTop = 0;
}

function onChange(event) {
  if (event?.target.matches("[data-all]")) {
    for (const item of items()) box(item).checked = event.target.checked;
  }
  if (!event || event.target.matches('[data-all], [name="items"]')) {
    say(form.dataset.selected.replace("{n}", selected().length));
  }
}

/* Setting ------------------------------------------------------------------------------------------------------- */

let changed = false;
let waiting = Promise.resolve();

function onSubmit(event) {
  event.preventDefault();
  const button = event.submitter;
  if (!button?.name) return;
  const data = asked(button);
  const goesOn = button.closest("[data-goes-on]") !== null && !selected().length && !data.has("take_back");
  const held = document.activeElement?.closest?.("#coding-codes") ? button.value : "";
  const all = items();
  if (goesOn) stand(all[all.indexOf(current()) + 1], !held); // at once; what was asked is on its way
  waiting = waiting.then(() => send(data, held));
}

/* One's own choice of items; a code that all of them have is taken back. */
function asked(button) {
  const data = new FormData(form, button);
  data.delete("items");
  data.delete("take_back");
  const chosen = targets();
  for (const item of chosen) data.append("items", box(item).value);
  for (const item of items()) data.append("here", box(item).value);
  if (button.name === "code" && chosen.length && chosen.every((item) => has(item, button.value))) {
    data.append("take_back", "1");
  }
  return data;
}

const has = (item, code) => [...item.querySelectorAll("[data-code]")].some((badge) => badge.dataset.code === code);

async function send(data, held) {
  try {
    const response = await fetch(form.action, { method: "POST", body: data, headers: { "X-Requested-With": "fetch" } });
    if (!response.ok || response.redirected) throw new Error(response.status);
    show(new DOMParser().parseFromString(await response.text(), "text/html"));
  } catch {
    say(form.dataset.lost);
  }
  if (held) form.querySelector(`#coding-codes [value="${CSS.escape(held)}"]`)?.focus();
}

function show(page) {
  for (const row of page.querySelectorAll("[data-item]")) replaceRow(row);
  const held = document.activeElement?.name ?? "";
  for (const id of ["coding-progress", "coding-codes", "coding-acts"]) {
    const fresh = page.getElementById(id);
    const old = document.getElementById(id);
    if (fresh && old) old.replaceWith(fresh);
  }
  for (const part of form.querySelectorAll("#coding-codes .script-only")) part.hidden = false;
  for (const part of form.querySelectorAll("#coding-codes .without-script")) part.hidden = true;
  setUpSwitch();
  if (held === "undo") form.querySelector("[data-undo]")?.focus();
  changed = true;
  const kind = form.querySelector("#coding-codes [data-goes-on]")?.dataset.progress;
  say([page.getElementById("coding-message")?.textContent, kind].filter(Boolean).join(" "));
}

/* The codes of the row are new, all else of it stays, the focus and the tick included. */
function replaceRow(row) {
  const old = document.getElementById(row.id);
  old?.querySelector(".coding-codes").replaceWith(row.querySelector(".coding-codes"));
}

if (form) start();
