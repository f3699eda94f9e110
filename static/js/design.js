// A step of a study's design: every change is saved and what it comes to is shown anew. What could not be saved stays in
// this browser and is there again when the page is opened again.
const form = document.querySelector("form[data-design]");
const side = document.getElementById("side");
const status = document.getElementById("saved");
const key = `design:${location.pathname}`;

const entries = () => [...new FormData(form)].filter(([name]) => name !== "csrfmiddlewaretoken" && name !== "then");
const say = (words) => (status.textContent = words);
const keep = () => sessionStorage.setItem(key, JSON.stringify(entries()));

function restore() {
  const kept = sessionStorage.getItem(key);
  for (const name of Object.keys(sessionStorage)) if (name.startsWith("design:")) sessionStorage.removeItem(name);
  if (!kept || kept === JSON.stringify(entries())) return false;
  const stored = JSON.parse(kept);
  for (const field of form.elements) {
    if (!field.name || field.type === "hidden" || field.type === "submit") continue;
    const values = stored.filter(([name]) => name === field.name).map(([, value]) => value);
    if (field.type === "checkbox" || field.type === "radio") field.checked = values.includes(field.value);
    else if (values.length) field.value = values[0];
  }
  say(form.dataset.back);
  return true;
}

function show() {
  const value = (name) => form.querySelector(`[name="${name}"]:checked`)?.value;
  const holds = (rules) => rules?.split(" ").some((rule) => value(rule.split("=")[0]) === rule.split("=")[1]);
  for (const part of form.querySelectorAll("[data-shows], [data-hides]"))
    part.hidden = ("shows" in part.dataset && !holds(part.dataset.shows)) || holds(part.dataset.hides) === true;
}

let waiting = null;
let asked = 0;

async function save() {
  if (!("saves" in form.dataset)) return;
  const turn = ++asked;
  side?.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(location.href, { method: "POST", body: new FormData(form), headers: { "X-Lesart-Part": "side" }, redirect: "manual", keepalive: true });
    if (turn !== asked) return;
    if (answer.type === "opaqueredirect" || answer.status === 403) return say(form.dataset.signedOut);
    if (!answer.ok && answer.status !== 422) return say(form.dataset.offline);
    const words = await answer.text();
    if (side && !side.dataset.own) side.innerHTML = words;
    if (words.includes("data-reload-page")) return leave();
    if (answer.ok) sessionStorage.removeItem(key);
    say(answer.ok ? form.dataset.saved : "");
  } catch {
    say(form.dataset.offline);
  } finally {
    side?.removeAttribute("aria-busy");
  }
}

function leave() {
  sessionStorage.removeItem(key);
  location.reload();
}

function changed(event) {
  const every = event.target.dataset.all;
  if (every) for (const box of form.querySelectorAll(`[name="${every}"]`)) box.checked = event.target.checked;
  show();
  keep();
  clearTimeout(waiting);
  waiting = setTimeout(save, event.type === "input" && event.target.type === "text" ? 800 : 250);
}

form.addEventListener("input", changed);
form.addEventListener("submit", () => {
  clearTimeout(waiting);
  asked += 1;
  keep();
});
addEventListener("pageshow", show);
for (const box of form.querySelectorAll("[data-all]")) {
  box.hidden = false;
  box.checked = [...form.querySelectorAll(`[name="${box.dataset.all}"]`)].every((each) => each.checked);
}
if (restore()) {
  show();
  keep();
  save();
}
show();
