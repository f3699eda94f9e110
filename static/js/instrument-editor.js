// Shows the draft as people or models would get it while it is written, and what is wrong beside its field.
// Without this script the button opens the same preview in a window of its own.
const form = document.querySelector("form[data-preview]");
const frame = form.querySelector("[data-frame]");
const notices = form.querySelector("[data-notices]");
const WAIT = 400; // milliseconds without a key
let timer, asked, isUnsaved = form.dataset.unsaved === "yes";

const listOf = (list, sentences) => {
  list.replaceChildren(...sentences.map((sentence) => {
    const entry = document.createElement("li");
    entry.textContent = sentence;
    return entry;
  }));
};

const showProblems = (problems) => {
  const lists = [...form.querySelectorAll("[data-problems]")];
  const known = new Set(lists.map((list) => list.dataset.problems));
  for (const list of lists) {
    const place = list.dataset.problems;
    const here = problems.filter((each) => (known.has(each.place) ? each.place : "") === place);
    listOf(list, here.map((each) => each.sentence));
  }
  form.querySelector("[data-problems-all]")?.replaceChildren();
};

const showNotices = (sentences) => {
  notices?.replaceChildren(...sentences.map((sentence) => {
    const note = document.createElement("p");
    note.className = "note warning";
    note.textContent = sentence;
    return note;
  }));
};

// The page comes anew each time; whoever reads at its end stays there. Its scripts would not run in the frame.
const showPage = (page) => {
  const scrolled = frame.contentWindow?.scrollY ?? 0;
  frame.addEventListener("load", () => frame.contentWindow.scrollTo(0, scrolled), { once: true });
  frame.hidden = false;
  frame.srcdoc = page.replaceAll(/<script[^]*?<\/script>/g, "");
};

const preview = async () => {
  asked?.abort();
  asked = new AbortController();
  const sent = { method: "POST", body: new FormData(form), headers: { "X-Lesart-Preview": "1" }, signal: asked.signal };
  let answer;
  try {
    const response = await fetch(form.dataset.preview, sent);
    if (!response.ok) return;
    answer = await response.json();
  } catch (error) {
    return; // aborted by a newer one, or no connection: the next key asks again
  }
  showProblems(answer.problems);
  showNotices([...answer.notices, ...(answer.message ? [answer.message] : [])]);
  if (!frame) return;
  frame.classList.toggle("is-old", !answer.page);
  if (answer.page) showPage(answer.page);
};

form.addEventListener("input", () => {
  isUnsaved = true;
  clearTimeout(timer);
  timer = setTimeout(preview, WAIT);
});
form.addEventListener("submit", (event) => {
  if (event.submitter?.formTarget !== "_blank") isUnsaved = false;
});
if ("unsaved" in form.dataset) {
  addEventListener("beforeunload", (event) => {
    if (isUnsaved) event.preventDefault();
  });
}
preview();
