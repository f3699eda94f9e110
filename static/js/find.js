// Lists of closed entries: a field finds entries by their words, and an address that names an entry opens it.
const LETTERS = { α: "alpha", ε: "epsilon", κ: "kappa", ρ: "rho", τ: "tau", φ: "phi" }; // as people type them
const spell = (words) => words.toLowerCase().replace(/[αεκρτφ]/g, (letter) => `${letter} ${LETTERS[letter]} `);

// `data-find` selects the entries; what an entry is found by is its summary, or all of it if it has `data-words`.
const field = document.querySelector("[data-find]");
function find() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const entries = [...document.querySelectorAll(field.dataset.find)];
  for (const entry of entries) {
    const text = ("words" in entry.dataset ? entry : entry.querySelector("summary")).textContent;
    entry.hidden = !words.every((word) => spell(text).includes(word));
  }
  for (const part of new Set(entries.map((entry) => entry.closest("section")))) {
    part.hidden = !part.querySelector(`:is(${field.dataset.find}):not([hidden])`);
  }
  const nothing = document.querySelector("[data-nothing-found]");
  if (nothing) nothing.hidden = entries.some((entry) => !entry.hidden);
}
if (field) {
  field.hidden = false;
  field.addEventListener("input", find);
}

function openTarget() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const part = target && (target.matches("details") ? target : target.querySelector(":scope > details"));
  if (!part) return;
  if (target.hidden) {
    field.value = "";
    find();
  }
  part.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", openTarget);
openTarget();
