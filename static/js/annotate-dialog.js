/* A dialog over the page: a title, a body that scrolls, a button that closes it. */

export function makeDialog(content, title, word) {
  const sheet = document.createElement("dialog");
  sheet.className = "sheet";
  const body = document.createElement("div");
  body.className = "sheet-body";
  body.tabIndex = 0;
  if (title) {
    sheet.setAttribute("aria-label", title);
    const heading = document.createElement("h2");
    heading.textContent = title;
    body.append(heading);
  }
  body.append(content);
  const form = document.createElement("form");
  form.method = "dialog";
  const button = document.createElement("button");
  button.className = "primary";
  button.textContent = word;
  form.append(button);
  sheet.append(body, form);
  sheet.addEventListener("click", (event) => event.target === sheet && sheet.close());
  return sheet;
}
