// The server draws the figures. One that somebody points at is drawn anew here, from the Vega-Lite specification that the
// report's files hold too, so that its marks say their numbers; Vega is loaded with the first. Expressions are
// interpreted, as the page's content security policy lets nothing be compiled.
const SCALE = 1.15; // against the paper's size: words as large as the small ones of the page
const SMALLEST = 0.75; // of that, on a narrow screen; the rest is reached by scrolling the plate
const GAP = 14; // between pointer and tooltip

const plates = [...document.querySelectorAll(".plate[data-spec]")];
const tip = makeTip();

for (const plate of plates) {
  keepReadable(plate.querySelector("img"));
  plate.addEventListener("pointerenter", () => draw(plate), { once: true });
}

// One after the other: Vega-Lite needs Vega.
let vegaLoaded;
function loadVega() {
  const addresses = JSON.parse(document.getElementById("vega-files").textContent);
  vegaLoaded ??= addresses.reduce((before, address) => before.then(() => loadScript(address)), Promise.resolve());
  return vegaLoaded;
}

function loadScript(address) {
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = done;
    script.onerror = () => failed(new Error(address));
    document.head.append(script);
  });
}

async function draw(plate) {
  try {
    const response = await fetch(plate.dataset.spec);
    if (!response.ok || response.redirected) throw new Error(response.status);
    plate.replaceChildren(await drawing(await response.json()));
    plate.dataset.state = "drawn";
  } catch (error) {
    console.warn("A figure is shown as the server drew it:", error);
    plate.dataset.state = "picture";
  }
}

async function drawing(specification) {
  await loadVega();
  const { vega, vegaLite } = globalThis;
  const { expressionInterpreter } = await import("../vendor/vega-interpreter-2.2.1.js");
  const box = document.createElement("div");
  const program = vega.parse(vegaLite.compile(specification).spec, null, { ast: true });
  const view = new vega.View(program, {
    expr: expressionInterpreter,
    renderer: "svg",
    container: box,
    tooltip: (_handler, event, _item, value) => tell(event, value),
  });
  view.addEventListener("pointerdown", (event, item) => tell(event, item?.tooltip)); // a finger does not hover
  await view.runAsync();
  const svg = box.querySelector("svg");
  for (const side of ["width", "height"]) svg.setAttribute(side, Math.ceil(SCALE * svg.getAttribute(side)));
  keepReadable(svg);
  return box;
}

function keepReadable(picture) {
  picture.style.minWidth = `${Math.floor(SMALLEST * picture.getAttribute("width"))}px`;
}

// The tooltip: for pointers and fingers only, as the table beneath says the same.
function makeTip() {
  const made = document.createElement("dl");
  made.className = "figure-tip";
  made.hidden = true;
  made.setAttribute("aria-hidden", "true");
  document.body.append(made);
  addEventListener("scroll", () => tell(null, null), { capture: true, passive: true });
  addEventListener("keydown", (event) => event.key === "Escape" && tell(null, null));
  return made;
}

function tell(event, value) {
  const lines = value && typeof value === "object" ? Object.entries(value).filter(([, text]) => text) : [];
  tip.hidden = !lines.length;
  if (tip.hidden) return;
  tip.replaceChildren(...lines.flatMap(([name, text]) => [line("dt", name), line("dd", text)]));
  const [right, bottom] = [innerWidth - tip.offsetWidth - GAP, innerHeight - tip.offsetHeight - GAP];
  tip.style.left = `${Math.max(GAP, Math.min(event.clientX + GAP, right))}px`;
  const below = event.clientY + GAP;
  tip.style.top = `${below <= bottom ? below : Math.max(GAP, event.clientY - GAP - tip.offsetHeight)}px`;
}

function line(tag, words) {
  const made = document.createElement(tag);
  made.textContent = words;
  return made;
}
