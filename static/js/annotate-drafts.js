/* Answers on their way to the server: sent one after the other, in order, until each is acknowledged. Until then they are
   kept in this tab, so that neither a lost connection nor a reload loses them. */

const WAITS = [1, 2, 4, 8, 15, 30]; // seconds before each further attempt

export class Drafts {
  #queue;
  #running = null;
  #isResting = false;
  #isOver = false;
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

  add(fields) {
    this.put(fields);
    this.send();
  }

  /* Keep, without sending: the page is about to be handed in. */
  put(fields) {
    this.#queue.push(fields);
    this.#keep();
  }

  send() {
    if (this.#isResting || !this.isPending) return;
    this.#running ??= this.#sendAll().finally(() => (this.#running = null));
  }

  /* Before the whole page is handed in: wait for what is on the wire, send nothing more. */
  async rest() {
    this.#isResting = true;
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

  async #sendAll() {
    let attempt = 0;
    this.showState("saving");
    while (this.isPending && !this.#isResting) {
      const problem = await this.#sendFirst();
      if (problem === "over") return;
      if (problem) {
        this.showState(problem);
        await this.#wait(WAITS[Math.min(attempt++, WAITS.length - 1)]);
      } else {
        attempt = 0;
      }
    }
    if (!this.isPending) this.showState("saved");
  }

  async #sendFirst() {
    let reply, text;
    try {
      reply = await fetch(this.address, {
        method: "POST",
        body: new URLSearchParams([["token", this.token], ...this.#queue[0]]),
        keepalive: true, // arrives even if the page is left
        signal: AbortSignal.timeout(20000),
      });
      text = await reply.text();
    } catch {
      return "offline";
    }
    if (reply.status === 409 && text.startsWith("{")) return this.#end(JSON.parse(text));
    if (!reply.ok || reply.redirected) return reply.status === 404 ? "unknown" : "refused";
    this.#queue.shift();
    this.#keep();
    return null;
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
