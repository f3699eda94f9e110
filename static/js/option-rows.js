// "More options" adds a row here instead of asking the server; without this script the button posts.
for (const field of document.querySelectorAll("[data-option-rows]")) {
  const total = field.querySelector(`[name="${field.dataset.prefix}-TOTAL_FORMS"]`);
  const rows = field.querySelector("[data-rows]");
  const empty = field.querySelector("[data-empty-row]").innerHTML;
  const more = field.querySelector("[data-more]");
  const full = () => Number(total.value) >= Number(field.dataset.limit);

  more.disabled = full();
  more.addEventListener("click", (event) => {
    event.preventDefault();
    const number = Number(total.value);
    rows.insertAdjacentHTML("beforeend", empty.replaceAll("__prefix__", number));
    const row = rows.lastElementChild;
    row.setAttribute("aria-label", `${row.getAttribute("aria-label").trim()} ${number + 1}`);
    total.value = number + 1;
    more.disabled = full();
    row.querySelector("textarea").focus();
  });
}
