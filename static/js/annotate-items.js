/* Reading and writing the answers that stand in the page. */

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
}

export function answered(item, kind) {
  const inputs = [...item.querySelectorAll(`input[name^="${kind}-"]`)];
  return inputs.length === 0 || inputs.some((input) => input.checked);
}

export function countAnswered(form) {
  const items = [...form.querySelectorAll("[data-item]")];
  for (const item of items) {
    item.classList.toggle("is-answered", answered(item, "answer") && answered(item, "rating"));
  }
  const done = form.querySelectorAll(".item.is-answered").length;
  for (const count of document.querySelectorAll("[data-count]")) {
    count.textContent = count.dataset.count.replace("{done}", done);
  }
}
