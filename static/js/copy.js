// Buttons that copy the text of a field. Without a clipboard they stay hidden; the field can be copied by hand.
const reveal = () => {
  for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = !navigator.clipboard;
};

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("button[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
  button.textContent = button.dataset.copied;
});
document.addEventListener("focusin", ({ target }) => {
  if (target.id && document.querySelector(`button[data-copy="${CSS.escape(target.id)}"]`)) target.select?.();
});
document.addEventListener("refreshed", reveal);
reveal();
