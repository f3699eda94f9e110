// While texts are pasted: how many they are, and how each begins. The server splits them by the same rule.
const form = document.getElementById("paste");
const preview = document.getElementById("split-preview");
const [heading, list] = [preview.querySelector("h2"), preview.querySelector("ol")];
const BEGINNING = 90; // characters shown of each text
const LONGEST_TITLE = 80;
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]/gu;

// [title, body] of each text: the rules of items/formats/text_files.py.
function split(pasted, how, separator) {
  const texts = [["", []]];
  let empty = 0;
  for (const line of pasted.split(/\r?\n/)) {
    empty = line.trim() ? 0 : empty + 1;
    const heading = how === "heading" && line.trim().match(/^#{1,6}\s+(\S.*)$/);
    if (heading) texts.push([heading[1], []]);
    else if ((how === "line" && separator && line.trim() === separator) || (how === "blank" && empty === 2)) texts.push(["", []]);
    else texts.at(-1)[1].push(line);
  }
  return texts.map(([title, lines]) => [title, lines.join("\n").trim()]).filter(([, body]) => body);
}

function takeTitle(body) {
  const [first, next, ...rest] = body.split("\n");
  const others = rest.join("\n").trim();
  const looksSo = first.length <= LONGEST_TITLE && !/[.,;:…]\s*$/.test(first) && next !== undefined && !next.trim();
  return looksSo && others ? [first.trim(), others] : ["", body];
}

// Until somebody chooses: texts with two empty lines between them are several, unless a line between them is found.
let isChosen = form.elements.body.value !== "";
function guessSplit() {
  const { body, split: how, separator } = form.elements;
  const count = (by) => split(body.value, by, separator.value.trim()).length;
  how.value = count("line") < 2 && count("blank") > 1 ? "blank" : "line";
}

function show() {
  if (!isChosen) guessSplit();
  const { body, split: how, separator, has_titles: hasTitles, title } = form.elements;
  let texts = split(body.value, how.value, separator.value.trim());
  const keeps = !hasTitles.checked || (texts.length === 1 && title.value.trim());
  if (!keeps) texts = texts.map((text) => (text[0] ? text : takeTitle(text[1])));
  const text = texts.length === 1 ? preview.dataset.one : preview.dataset.several.replace("{n}", texts.length);
  preview.hidden = !texts.length;
  if (heading.textContent !== text) heading.textContent = text;
  list.replaceChildren(...texts.map(describe));
}

// As items/plain.py counts: of scripts without spaces, two characters are one word.
function countWords(text) {
  const unspaced = text.match(UNSPACED) ?? [];
  const spaced = text.replace(UNSPACED, " ").split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  return Math.ceil(unspaced.length / 2) + spaced.length;
}

function describe([title, text]) {
  const entry = document.createElement("li");
  const words = preview.dataset.words.replace("{n}", countWords(text));
  entry.className = "info";
  entry.dir = "auto";
  if (title) entry.append(Object.assign(document.createElement("strong"), { textContent: title }), " ");
  entry.append(`${text.slice(0, BEGINNING)}${text.length > BEGINNING ? " …" : ""} (${words})`);
  return entry;
}

form.addEventListener("input", (event) => {
  isChosen ||= event.target.name === "split";
  show();
});
show();
