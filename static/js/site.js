import "./sideways.js";
// What every researcher's page has: menus that close, and keys.
const menus = () => document.querySelectorAll("details[data-menu][open]");

document.addEventListener("click", (event) => {
  for (const menu of menus()) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of menus()) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// "/" goes to the search of the page, "g" and the key of a tab to that tab, "?" to the list of keys.
let awaitsTab = false;
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, [contenteditable]");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const tab = awaitsTab && document.querySelector(`[aria-keyshortcuts="g ${CSS.escape(event.key)}"]`);
  awaitsTab = event.key === "g";
  if (tab) tab.click();
  const keys = event.key === "?" && document.querySelector("[data-keys]")?.closest("details");
  if (keys) {
    keys.open = true;
    keys.querySelector("summary").focus();
  }
  const search = event.key === "/" && document.querySelector("main input[type=search]");
  if (!search) return;
  event.preventDefault();
  search.focus();
});
