// What scrolls sideways says so: its edge fades while there is more to the right, and a figure says it in words.
const EDGE = 2; // pixels that rounding may leave

const WIDE = ".table-wrap, .plate";
const resized = new ResizeObserver((entries) => entries.forEach((entry) => mark(entry.target.closest(WIDE))));

for (const box of document.querySelectorAll(WIDE)) {
  resized.observe(box);
  for (const child of box.children) resized.observe(child);
  box.addEventListener("scroll", () => mark(box), { passive: true });
}

function mark(box) {
  if (!box) return; // a figure's room that has given way to the figure
  const isWide = box.scrollWidth > box.clientWidth + EDGE;
  if (isWide && !box.hasAttribute("tabindex")) box.tabIndex = 0; // keys scroll what has the focus
  box.classList.toggle("is-wide", isWide);
  box.classList.toggle("has-more", box.scrollLeft + box.clientWidth < box.scrollWidth - EDGE);
}
