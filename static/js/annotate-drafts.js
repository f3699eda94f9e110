/* Answers on their way to the server: gathered for up to two seconds, sent together, until each is acknowledged. Until
   then they are kept in this tab, so that neither a lost connection nor a reload loses them. */

const GATHER = 2; // seconds
const WAITS = [1, 2, 4, 8, 15, 30]; // seconds before each further attempt

export class Drafts {
  #queue; // of each item what was entered last, and before it what of the same item is on the wire
  #sent = new Set();
  #timer = null;
  #running = null;
  #isResting = false;
  #isOver = false;
  #hasFailed = false; // the last attempt; else what is pending arrives though the page is left
  #wakeUp = () => {};

  constructor(address, token, showState, showOver) {
    Object.assign(this, { address, token, showState, showOver });
    this.key = `lesart-drafts-${token}`;
    this.#queue = JSON.parse(sessionStorage.getItem(this.key) ?? "[]");
    addEventListener("online", () => this.#wakeUp());
  }

  kept() {
    return this.#queue;
  }

  get isPending() {
    return !this.#isOver && this.#queue.length > 0;
  }

  get isAtRisk() {
    return this.isPending && this.#hasFailed;
  }

  add(fields) {
    this.put(fields);
    if (!this.isPending) return;
    if (!this.#running) this.showState("saving");
    this.#timer ??= setTimeout(() => this.send(), GATHER * 1000);
  }

  /* Keep, without sending: the page is about to be handed in. The fields begin with the item that they are about. */
  put(fields) {
    const isOld = (other) => other[0][1] === fields[0][1] && !this.#sent.has(other);
    this.#queue = [...this.#queue.filter((other) => !isOld(other)), fields];
    this.#keep();
  }

  send() {
    this.#stopTimer();
    if (this.#isResting || !this.isPending) return;
    this.#running ??= this.#sendAll().finally(() => (this.#running = null));
  }

  /* The page may be left: what is not on the wire yet is sent now, whatever else is under way. */
  flush() {
    if (this.#timer && this.#running) this.#sendRest();
    else if (this.#timer) this.send();
    this.#stopTimer();
  }

  /* Before the whole page is handed in: wait for what is on the wire, send nothing more. */
  async rest() {
    this.#isResting = true;
    this.#stopTimer();
    this.#wakeUp();
    await this.#running;
  }

  wake() {
    this.#isResting = false;
    this.send();
  }

  forget() {
    this.#queue = [];
    sessionStorage.removeItem(this.key);
  }

  #keep() {
    sessionStorage.setItem(this.key, JSON.stringify(this.#queue));
  }

  #stopTimer() {
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #sendAll() {
    let attempt = 0;
    let problem = null;
    this.showState("saving");
    do {
      problem = await this.#sendRest();
      if (problem === "over") return;
      if (problem) {
        this.showState(problem);
        await this.#wait(WAITS[Math.min(attempt++, WAITS.length - 1)]);
      }
    } while (this.isPending && !this.#isResting && (problem || !this.#timer));
    if (!this.isPending) this.showState("saved");
  }

  /* All that is not on the wire, in one request: of each item what was entered last. */
  async #sendRest() {
    const batch = this.#queue.filter((fields) => !this.#sent.has(fields));
    const latest = new Map(batch.map((fields) => [fields[0][1], fields]));
    batch.forEach((fields) => this.#sent.add(fields));
    const problem = await this.#post([...latest.values()].flat());
    batch.forEach((fields) => this.#sent.delete(fields));
    this.#hasFailed = Boolean(problem);
    if (problem) return problem;
    this.#queue = this.#queue.filter((fields) => !batch.includes(fields));
    this.#keep();
    return null;
  }

  async #post(fields) {
    let reply, text;
    try {
      reply = await fetch(this.address, {
        method: "POST",
        body: new URLSearchParams([["token", this.token], ...fields]),
        keepalive: true, // arrives even if the page is left
        signal: AbortSignal.timeout(20000),
      });
      text = await reply.text();
    } catch {
      return "offline";
    }
    if (reply.status === 409 && text.startsWith("{")) return this.#end(JSON.parse(text));
    return reply.ok && !reply.redirected ? null : reply.status === 404 ? "unknown" : "refused";
  }

  /* The stage is over. What is kept stays in this tab: a paused study may go on. */
  #end({ message }) {
    this.#isOver = true;
    this.showOver(message);
    return "over";
  }

  #wait(seconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000);
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
