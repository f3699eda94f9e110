/* Text size, line width and contrast as the annotator wants them, remembered on this device. */

const NAMES = ["size", "width", "contrast"];
const html = document.documentElement;

const read = (name) => localStorage.getItem(`lesart-${name}`) ?? usual(name);
const usual = (name) => (name === "contrast" && matchMedia("(prefers-contrast: more)").matches ? "high" : "");

function show(name, value) {
  if (value) html.dataset[name] = value;
  else delete html.dataset[name];
}

/* Pressing anywhere else closes the menu, which lies over the words. */
document.addEventListener("pointerdown", ({ target }) => {
  const menu = document.querySelector(".display[open]");
  if (menu && !menu.contains(target)) menu.open = false;
});

export function setUpDisplay() {
  for (const name of NAMES) show(name, read(name));
  const menu = document.querySelector(".display");
  if (!menu) return;
  menu.hidden = false;
  for (const name of NAMES) {
    for (const choice of menu.querySelectorAll(`[name=display-${name}]`)) {
      choice.checked = choice.value === read(name);
      choice.addEventListener("change", () => {
        localStorage.setItem(`lesart-${name}`, choice.value);
        show(name, choice.value);
      });
    }
  }
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
}
