import { byId, element, group } from "./dom.js";
import { type Gateway, Refused, type SeenCommand, Unauthorized } from "./gateway.js";

/** Commands kept on the page. */
const MAX_ROWS = 300;
/** Interval in ms between updates of the page. */
const EVERY = 100;
/** Delay in ms before a lost stream is opened again. */
const AGAIN = 1_000;

/** The list of commands of all clients, as they run. It is fed only while it is shown. */
export class LiveCommands {
  #stop: AbortController | null = null;
  #pending: HTMLElement[] = [];

  constructor(
    readonly gateway: Gateway,
    readonly onError: (error: unknown) => void,
  ) {
    setInterval(() => this.#flush(), EVERY);
  }

  show(isShown: boolean): void {
    if (!isShown) {
      this.#stop?.abort();
      this.#stop = null;
    } else if (!this.#stop) void this.#watch(new AbortController());
  }

  async #watch(stop: AbortController): Promise<void> {
    this.#stop = stop;
    const state = byId("commands-state");
    while (!stop.signal.aborted) {
      try {
        await this.gateway.watch(
          stop.signal,
          () => {
            state.textContent = "Commands of all clients, newest first: names and keys, never values.";
            byId("waiting").hidden = byId("feed").childElementCount > 0;
          },
          (command) => this.#add(command),
        );
      } catch (error) {
        if (stop.signal.aborted) return;
        state.textContent = error instanceof Refused ? error.message : "The list of commands is interrupted.";
        if (error instanceof Unauthorized) this.onError(error);
        if (error instanceof Refused || error instanceof Unauthorized) return;
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
    }
  }

  #add({ name, keys, moreKeys, ms, error, transaction }: SeenCommand): void {
    const more = moreKeys > 0 ? [`and ${moreKeys} more`] : [];
    const row = group(
      "tr",
      "",
      element("td", timeOf(new Date()), "dim"),
      element("td", transaction ? `MULTI ${name}` : name, "name"),
      element("td", [...keys, ...more].join(" "), "keys"),
      element("td", ms.toFixed(1), "number"),
      element("td", error ?? "", "error"),
    );
    this.#pending.push(row);
    if (this.#pending.length > MAX_ROWS) this.#pending.shift();
  }

  #flush(): void {
    if (this.#pending.length === 0) return;
    const feed = byId("feed");
    byId("waiting").hidden = true;
    feed.prepend(...this.#pending.reverse());
    this.#pending = [];
    while (feed.childElementCount > MAX_ROWS) feed.lastElementChild?.remove();
  }
}

function timeOf(at: Date): string {
  return `${at.toTimeString().slice(0, 8)}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}
