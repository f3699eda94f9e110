// Questions are added and moved, and answers get more rows, without asking the server; without this script the
// buttons post. Whoever leaves with something typed is asked.
const form = document.querySelector(".phase-form");
const list = form.querySelector("[data-questions]");
let isUnsaved = form.dataset.unsaved === "yes";

const acts = {
  add() {
    const key = 1 + Math.max(-1, ...[...list.children].map((each) => Number(each.dataset.question)));
    const empty = form.querySelector("[data-empty]").innerHTML;
    list.insertAdjacentHTML("beforeend", empty.replaceAll("KEY", key));
    list.lastElementChild.querySelector("textarea").focus();
  },
  up: (question) => question.previousElementSibling?.before(question),
  down: (question) => question.nextElementSibling?.after(question),
  more(question) {
    const rows = question.querySelector("[data-rows]");
    const row = rows.lastElementChild.cloneNode(true);
    for (const field of row.querySelectorAll("input")) {
      if (field.type === "text" || field.type === "hidden") field.value = "";
      else Object.assign(field, { checked: false, value: rows.children.length });
    }
    row.setAttribute("aria-label", row.getAttribute("aria-label").replace(/\d+/, rows.children.length + 1));
    rows.append(row);
    row.querySelector("[type=text]").focus();
  },
};

form.addEventListener("click", (event) => {
  const button = event.target.closest("button[name=act]");
  if (!button) return;
  event.preventDefault();
  acts[button.value.split(":")[0]](button.closest("[data-question]"));
  isUnsaved = true;
  if (button.isConnected && !button.matches("[data-add], [data-more]")) button.focus();
  [...list.children].forEach((question, place) => {
    for (const number of question.querySelectorAll("[data-number]")) number.textContent = place + 1;
  });
});
form.addEventListener("input", () => (isUnsaved = true));
form.addEventListener("submit", () => (isUnsaved = false));
addEventListener("beforeunload", (event) => {
  if (isUnsaved) event.preventDefault();
});
