// What a number rests on: its cell names remarks that stand once on the page, and they are shown beside it while it is
// pointed at, touched or has the keyboard's focus. Readers of screens take them from aria-describedby.
const DELAY = 250; // milliseconds, so that nothing flickers while the pointer crosses a table
const GAP = 6;

const tip = makeTip();
let waiting, shown;

addEventListener("pointerover", (event) => {
  clearTimeout(waiting);
  const cell = cellOf(event.target);
  if (cell === shown) return;
  hide();
  if (cell) waiting = setTimeout(() => show(cell), event.pointerType === "mouse" ? DELAY : 0);
});
// A finger gives the focus to what scrolls around the cell, and takes it from elsewhere: neither hides what it shows.
addEventListener("focusin", ({ target }) => {
  if (cellOf(target)) show(cellOf(target));
  else if (target.matches(":focus-visible")) hide();
});
addEventListener("focusout", (event) => shown?.contains(event.target) && hide());
addEventListener("keydown", (event) => event.key === "Escape" && hide());
// Coming to a number by keyboard scrolls it into view: then the remarks go along.
addEventListener(
  "scroll",
  () => (shown?.contains(document.activeElement) ? place(shown.getBoundingClientRect()) : hide()),
  { capture: true, passive: true },
);

function cellOf(element) {
  return element.closest?.("td") ?? null;
}

function show(cell) {
  const described = cell.matches("[aria-describedby]") ? cell : cell.querySelector("[aria-describedby]");
  if (!described) return;
  const ids = described.getAttribute("aria-describedby").split(" ");
  tip.replaceChildren(...ids.map((id) => line(document.getElementById(id).textContent)));
  tip.hidden = false;
  shown = cell;
  place(cell.getBoundingClientRect());
}

// Below the cell, or above it where there is no room; never beyond the edges of the screen.
function place(cell) {
  const right = document.documentElement.clientWidth - tip.offsetWidth - GAP;
  const below = cell.bottom + GAP;
  tip.style.left = `${Math.max(GAP, Math.min(cell.left, right))}px`;
  tip.style.top = `${below + tip.offsetHeight <= innerHeight ? below : Math.max(GAP, cell.top - GAP - tip.offsetHeight)}px`;
}

function hide() {
  clearTimeout(waiting);
  tip.hidden = true;
  shown = undefined;
}

function makeTip() {
  const made = document.createElement("div");
  made.className = "cell-tip";
  made.hidden = true;
  made.setAttribute("aria-hidden", "true");
  document.body.append(made);
  return made;
}

function line(words) {
  const made = document.createElement("p");
  made.textContent = words;
  return made;
}
