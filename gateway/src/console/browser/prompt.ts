import { splitLine } from "../../util/split-line.js";
import { button, byId, element, group, onSubmit } from "./dom.js";
import type { CommandArg, Gateway } from "./gateway.js";
import { decoded, printed } from "./text.js";

/** Lines kept on the page. */
const MAX_LINES = 200;

/** Commands to try on arrival. They show strings, JSON, times to live, collections and counters. */
const EXAMPLES = [
  `SET user:1 '{"name":"Ada","languages":["en","fr"]}' EX 3600`,
  "HSET account:1 name Ada visits 3",
  "RPUSH queue first second third",
  "INCR visits",
  "INFO server",
];

/** The prompt, and the history of commands and replies. */
export class Prompt {
  readonly #history: string[] = [];
  #at = 0;
  #running: AbortController | null = null;

  /** @param onDone called after each reply with the command, since it may have changed keys */
  constructor(
    readonly gateway: Gateway,
    readonly onDone: (args: readonly CommandArg[]) => void,
    readonly onError: (error: unknown) => void,
  ) {
    const line = byId<HTMLInputElement>("line");
    onSubmit(byId("prompt"), () => {
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
    const examples = EXAMPLES.map((text) => {
      const run = () => {
        if (!this.#running) void this.#ask(text);
        line.focus();
      };
      return group("li", "", button(text, run, "link code"));
    });
    byId("examples").replaceChildren(...examples);
  }

  #recall(step: number): string {
    this.#at = Math.min(this.#history.length, Math.max(0, this.#at + step));
    return this.#history[this.#at] ?? "";
  }

  async #ask(text: string): Promise<void> {
    if (this.#history.at(-1) !== text) this.#history.push(text);
    this.#at = this.#history.length;
    this.#print(`> ${text}`, "asked");
    let args: CommandArg[];
    try {
      args = argsIn(text);
    } catch (error) {
      this.#print((error as Error).message, "error");
      return;
    }
    this.#running = new AbortController();
    try {
      const reply = await this.gateway.run(args, this.#running.signal);
      this.#print(printed(reply), reply.kind === "error" ? "error" : "");
      this.onDone(args);
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
    const scroll = byId("scroll");
    scroll.scrollTop = scroll.scrollHeight;
  }
}

const encoder = new TextEncoder();

/** Returns the arguments of a line in redis-cli's quoting. An argument that is not valid UTF-8 stays bytes. */
function argsIn(line: string): CommandArg[] {
  const latin1 = Array.from(encoder.encode(line), (byte) => String.fromCharCode(byte)).join("");
  return splitLine(latin1).map((arg) => {
    const bytes = Uint8Array.from(arg, (sign) => sign.charCodeAt(0));
    return decoded(bytes) ?? bytes;
  });
}
