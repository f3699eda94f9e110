/* How long somebody is at work on a page: the seconds in which it is seen, and was touched within half a minute. Counted
   by the token of the page, so that a reload in this tab goes on counting; sent with the hand-in. */

const REST = 30000; // milliseconds without a touch, after which somebody counts as idle
let key = null;
let touched = performance.now();

for (const kind of ["pointerdown", "pointermove", "keydown", "scroll", "input"]) {
  addEventListener(kind, () => (touched = performance.now()), { capture: true, passive: true });
}

setInterval(() => {
  if (key && !document.hidden && performance.now() - touched < REST) sessionStorage.setItem(key, activeSeconds() + 1);
}, 1000);

export function countActive(token) {
  key = token ? `lesart-active-${token}` : null;
  touched = performance.now();
}

export function activeSeconds() {
  return Number(sessionStorage.getItem(key) ?? 0);
}
