// While texts are pasted: how many they are, and how each begins. The server splits them by the same rule.
const form = document.getElementById("paste");
const preview = document.getElementById("split-preview");
const [heading, list] = [preview.querySelector("h2"), preview.querySelector("ol")];
const BEGINNING = 90; // characters shown of each text

function split(body, separator) {
  const texts = [[]];
  for (const line of body.split(/\r?\n/)) {
    if (separator && line.trim() === separator) texts.push([]);
    else texts.at(-1).push(line);
  }
  return texts.map((lines) => lines.join("\n").trim()).filter(Boolean);
}

function show() {
  const texts = split(form.elements.body.value, form.elements.separator.value.trim());
  const said = texts.length === 1 ? preview.dataset.one : preview.dataset.several.replace("{n}", texts.length);
  preview.hidden = !texts.length;
  if (heading.textContent !== said) heading.textContent = said;
  list.replaceChildren(...texts.map(describe));
}

function describe(text) {
  const entry = document.createElement("li");
  const words = preview.dataset.words.replace("{n}", text.split(/\s+/).length);
  entry.className = "info";
  entry.dir = "auto";
  entry.textContent = `${text.slice(0, BEGINNING)}${text.length > BEGINNING ? " …" : ""} (${words})`;
  return entry;
}

form.addEventListener("input", show);
show();
