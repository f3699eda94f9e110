// Parts of a page that change while a worker is busy. Without this script the page is reloaded by hand.
const EVERY = 2000;
const SLOWEST = 30000;

for (const part of document.querySelectorAll("[data-refresh]")) {
  if (part.dataset.refresh) refresh(part, every(part));
}

function every(part) {
  return Number(part.dataset.every) || EVERY;
}

function refresh(part, wait) {
  setTimeout(async () => {
    if (document.hidden) return refresh(part, wait);
    try {
      const response = await fetch(part.dataset.refresh, { headers: { "X-Requested-With": "fetch" } });
      if (!response.ok || response.redirected) throw new Error(response.status);
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (show(part, page)) refresh(part, every(part));
    } catch {
      refresh(part, Math.min(wait * 2, SLOWEST)); // the server is restarted, or the network is away
    }
  }, wait);
}

// Whether there is more to come. A control that somebody holds stays in the page until the next time.
function show(part, page) {
  const whole = page.getElementById(part.id);
  const goesOn = whole ? Boolean(whole.dataset.refresh) : isActive(page);
  if (part.contains(document.activeElement) && goesOn) return true;
  const ticked = [...part.querySelectorAll("input[type=checkbox]:checked")].map((box) => box.value);
  part.replaceChildren(...(whole ?? page.body).childNodes);
  for (const box of part.querySelectorAll("input[type=checkbox]")) box.checked ||= ticked.includes(box.value);
  part.dispatchEvent(new Event("refreshed", { bubbles: true }));
  if (whole?.dataset.again) location.replace(whole.dataset.again); // what the page waited for is there
  return goesOn;
}

function isActive(page) {
  const state = page.querySelector("[data-state]")?.dataset.state;
  return state === "planning" || state === "running";
}
