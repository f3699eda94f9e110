/* When a question is asked: a condition over earlier answers, as the server writes it. Returns true, false, or null
   while it depends on a question that is asked and not answered yet. `answers` holds the questions that are asked. */
export function holds(condition, answers) {
  const parts = Object.entries(condition).map(([name, value]) => part(name, value, answers));
  return allOf(parts);
}

function part(name, value, answers) {
  if (name === "all") return allOf(value.map((each) => holds(each, answers)));
  if (name === "any") return anyOf(value.map((each) => holds(each, answers)));
  if (name === "not") return not(holds(value, answers));
  if (!(name in answers)) return false;
  return answers[name] === null ? null : value.map(String).includes(String(answers[name]));
}

function allOf(parts) {
  if (parts.includes(false)) return false;
  return parts.includes(null) ? null : true;
}

function anyOf(parts) {
  if (parts.includes(true)) return true;
  return parts.includes(null) ? null : false;
}

const not = (found) => (found === null ? null : !found);
