/* Reads aloud what the stage shows: the text, then the questions with their options. By voices of this device only, so
   that nothing of it leaves the device; without one for the language it says so and makes no sound. */

const speech = window.speechSynthesis;
const LONGEST = 220; // characters at once: some voices stop in the middle of more

let button = null;
let queue = [];

/* Called for each page that has the button. */
export function setUp(found) {
  stopReading();
  button = found;
  button.closest(".aloud").hidden = false;
  button.addEventListener("click", toggleReading);
  speech?.addEventListener("voiceschanged", offer);
  offer();
}

function toggleReading() {
  if (queue.length) stopReading();
  else startReading();
}

function stopReading() {
  queue = [];
  speech?.cancel();
  mark(null);
  show(false);
}

const matches = (voice, lang) => voice.lang.replace("_", "-").split("-")[0].toLowerCase() === lang.split("-")[0].toLowerCase();
const findVoice = (lang) => speech?.getVoices().find((voice) => voice.localService && matches(voice, lang));
const shownParts = () => [...document.querySelectorAll('main [lang][translate="no"]')].filter(isRead);
const isRead = (part) => part.checkVisibility() && !part.closest("textarea, .visually-hidden, [data-echo]");

/* The button, or why there is none: of a language of the page the device has no voice. */
function offer() {
  if (!button?.isConnected) return;
  const silent = shownParts().some((part) => !findVoice(part.lang));
  button.disabled = silent;
  button.closest(".aloud").querySelector("[data-no-voice]").hidden = !silent;
}

function startReading() {
  queue = shownParts().flatMap((part) => cut(wordsOf(part)).map((words) => ({ part, words })));
  show(true);
  readNext();
}

function readNext() {
  const next = queue[0];
  if (!next?.part.isConnected) return stopReading();
  const voice = findVoice(next.part.lang);
  if (!voice) return stopReading();
  const utterance = new SpeechSynthesisUtterance(next.words);
  utterance.voice = voice;
  utterance.lang = voice.lang;
  utterance.onend = () => {
    if (queue[0] !== next) return; // stopped meanwhile
    queue.shift();
    if (queue.length) readNext();
    else stopReading();
  };
  utterance.onerror = () => queue[0] === next && stopReading();
  mark(next.part);
  speech.speak(utterance);
}

/* With the descriptions of pictures. */
function wordsOf(part) {
  const copy = part.cloneNode(true);
  for (const picture of copy.querySelectorAll("img")) picture.replaceWith(` ${picture.alt} `);
  for (const block of copy.querySelectorAll("p, h2, h3, li, td, th")) block.append(". ");
  return copy.textContent.replace(/\s+/g, " ").replace(/([.!?…])\s*\./g, "$1").trim();
}

function cut(words) {
  const sentences = words.match(/[^.!?…]+[.!?…]*\s*/g) ?? [];
  const parts = [];
  for (const sentence of sentences.flatMap(cutLong)) {
    if (parts.length && parts.at(-1).length + sentence.length <= LONGEST) parts[parts.length - 1] += sentence;
    else parts.push(sentence);
  }
  return parts.map((part) => part.trim()).filter((part) => /[\p{L}\p{N}]/u.test(part));
}

const cutLong = (sentence) => sentence.match(new RegExp(`.{1,${LONGEST}}(?:\\s|$)|.{1,${LONGEST}}`, "gs")) ?? [];

function mark(part) {
  for (const other of document.querySelectorAll(".is-read-aloud")) other.classList.remove("is-read-aloud");
  part?.classList.add("is-read-aloud");
}

function show(reads) {
  if (!button) return;
  button.setAttribute("aria-pressed", String(reads));
  button.firstElementChild.textContent = reads ? button.dataset.stop : button.dataset.start;
}

addEventListener("pagehide", stopReading);
