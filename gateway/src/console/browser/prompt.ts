import { byId, element } from "./dom.js";
import type { CommandArg, Gateway } from "./gateway.js";
import { splitArgs } from "./split-args.js";
import { printed, quoted, shown } from "./text.js";

/** Lines kept on the page. */
const MAX_LINES = 200;

/** Commands that read the beginning of a value, by its type, so that a large one does no harm. */
const READS: Record<string, (key: CommandArg) => CommandArg[]> = {
  string: (key) => ["GETRANGE", key, "0", "9999"],
  list: (key) => ["LRANGE", key, "0", "99"],
  set: (key) => ["SSCAN", key, "0", "COUNT", "100"],
  zset: (key) => ["ZRANGE", key, "0", "99", "WITHSCORES"],
  hash: (key) => ["HSCAN", key, "0", "COUNT", "100"],
  stream: (key) => ["XREVRANGE", key, "+", "-", "COUNT", "20"],
};

/** The prompt, and the history of commands and replies. */
export class Prompt {
  readonly #history: string[] = [];
  #at = 0;
  #running: AbortController | null = null;

  constructor(
    readonly gateway: Gateway,
    readonly onError: (error: unknown) => void,
  ) {
    const line = byId<HTMLInputElement>("line");
    byId("prompt").addEventListener("submit", (event) => {
      event.preventDefault();
      if (line.value.trim() === "" || this.#running) return;
      void this.#ask(line.value);
      line.value = "";
    });
    line.addEventListener("keydown", (event) => {
      if (event.key === "ArrowUp" || event.key === "ArrowDown") {
        event.preventDefault();
        line.value = this.#recall(event.key === "ArrowUp" ? -1 : 1);
      } else if (event.key === "Escape") this.#running?.abort();
    });
  }

  /** Shows what a key holds. */
  open(key: Uint8Array, type: string): void {
    const args = (READS[type] ?? ((name: CommandArg) => ["TYPE", name]))(key);
    void this.#run(args.map((arg) => (typeof arg === "string" ? arg : asArg(arg))).join(" "), args);
  }

  #recall(step: number): string {
    this.#at = Math.min(this.#history.length, Math.max(0, this.#at + step));
    return this.#history[this.#at] ?? "";
  }

  async #ask(text: string): Promise<void> {
    if (this.#history.at(-1) !== text) this.#history.push(text);
    this.#at = this.#history.length;
    let args: CommandArg[];
    try {
      args = splitArgs(text);
    } catch (error) {
      this.#print(`> ${text}`, "asked");
      this.#print((error as Error).message, "error");
      return;
    }
    await this.#run(text, args);
  }

  async #run(text: string, args: readonly CommandArg[]): Promise<void> {
    this.#print(`> ${text}`, "asked");
    this.#running = new AbortController();
    try {
      const reply = await this.gateway.run(args, this.#running.signal);
      this.#print(printed(reply), reply.kind === "error" ? "error" : "");
    } catch (error) {
      const { name, message } = error as Error;
      this.#print(name === "AbortError" ? "cancelled" : message, "error");
      if (name !== "AbortError") this.onError(error);
    }
    this.#running = null;
  }

  #print(text: string, className: string): void {
    const log = byId("log");
    log.append(element("div", text, className));
    while (log.childElementCount > MAX_LINES) log.firstElementChild?.remove();
    log.scrollTop = log.scrollHeight;
  }
}

/** A key as the prompt reads it back. */
function asArg(key: Uint8Array): string {
  const text = shown(key);
  return /^[^\s"'\\]+$/.test(text) ? text : quoted(key);
}
