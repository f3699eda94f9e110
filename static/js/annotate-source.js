/* On small screens the text opens in a sheet over the items, and one is back at the same place when it closes. */
import { makeDialog } from "./annotate-dialog.js";

export function setUpSource() {
  const link = document.querySelector("[data-open-text]");
  if (!link) return;
  const criteria = document.querySelector(".criteria");
  if (sessionStorage.getItem("lesart-criteria") === "closed" || !matchMedia("(min-width: 64rem)").matches) {
    criteria?.removeAttribute("open");
  }
  criteria?.addEventListener("toggle", () => {
    sessionStorage.setItem("lesart-criteria", criteria.open ? "open" : "closed");
  });
  rememberFold();
  const sheet = makeSheet(link.dataset.close);
  document.querySelector("main").append(sheet);
  link.setAttribute("role", "button");
  link.addEventListener("click", (event) => {
    event.preventDefault();
    open(sheet);
  });
}

/* A text that can be folded away stays open where one has opened it oneself. */
function rememberFold() {
  const fold = document.querySelector("[data-text-fold]");
  if (!fold) return;
  if (sessionStorage.getItem("lesart-text") === "open") fold.open = true;
  fold.querySelector("summary").addEventListener("click", () => {
    sessionStorage.setItem("lesart-text", fold.open ? "closed" : "open"); // as it will be
  });
}

function makeSheet(word) {
  const copy = document.querySelector(".source-text article").cloneNode(true);
  copy.querySelector("h2").id = "sheet-title";
  const sheet = makeDialog(copy, "", word);
  sheet.classList.add("text-sheet");
  sheet.setAttribute("aria-labelledby", "sheet-title");
  // A closed dialog forgets how far it was scrolled.
  const body = sheet.querySelector(".sheet-body");
  body.addEventListener("scroll", () => (sheet.dataset.at = body.scrollTop));
  return sheet;
}

function open(sheet) {
  const at = Number(sheet.dataset.at ?? 0);
  sheet.showModal();
  sheet.querySelector(".sheet-body").scrollTop = at;
}
