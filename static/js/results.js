// Pages of the results: an address that names a table opens it, and tables are found by their names.
function openTarget() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const part = target && (target.matches("details") ? target : target.querySelector(":scope > details"));
  if (!part) return;
  part.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", openTarget);
openTarget();

const field = document.querySelector("[data-find-table]");
if (field) {
  field.hidden = false;
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const row of document.querySelectorAll(".table-list > li")) {
      const said = row.querySelector("summary").textContent.toLowerCase();
      row.hidden = !words.every((word) => said.includes(word));
    }
    for (const part of document.querySelectorAll("section:has(> .table-list)")) {
      part.hidden = !part.querySelector(".table-list > li:not([hidden])");
    }
  });
}
