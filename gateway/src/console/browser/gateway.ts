import { joinBytes } from "../../util/join-bytes.js";
import { decodeReply, encodeCommand, type Reply } from "./resp.js";

const RESP = "application/vnd.redis.resp2";

export type CommandArg = string | Uint8Array;

/** The gateway refuses a request to this token. */
export class Refused extends Error {}

/** The token is missing or wrong. */
export class Unauthorized extends Error {}

/** A command that passed through the gateway. */
export interface SeenCommand {
  readonly name: string;
  /** Some of its keys. */
  readonly keys: readonly string[];
  /** The number of further keys. */
  readonly moreKeys: number;
  readonly ms: number;
  readonly error: string | null;
  readonly transaction: boolean;
}

/** Limit on the ids in `#own`. Beyond it all are forgotten, so the live list may show commands of the page itself. */
const MAX_OWN = 5_000;

/** The gateway that this page came from. */
export class Gateway {
  /** How many commands of the page itself the live list has still to leave out, by their ids. */
  readonly #own = new Map<string, number>();
  /** Number of commands that the page has sent for itself. */
  ownCommands = 0;
  /** Number of requests with such commands that are under way. */
  ownRequests = 0;

  constructor(readonly token: string) {}

  /** Runs one command of the user; an error of Redis is a reply too. */
  run(args: readonly CommandArg[], signal?: AbortSignal): Promise<Reply> {
    return this.#post("/", encodeCommand(args), signal);
  }

  /** Runs one command that the page needs for itself, so that the live list leaves it out. */
  runOwn(...args: readonly CommandArg[]): Promise<Reply> {
    return this.#sendOwn([args], () => this.run(args));
  }

  /** Runs commands of the page itself in one request. */
  async runAll(commands: readonly (readonly CommandArg[])[]): Promise<readonly Reply[]> {
    if (commands.length === 0) return [];
    const send = () => this.#post("/pipeline", joinBytes(commands.map(encodeCommand)));
    return repliesIn(await this.#sendOwn(commands, send));
  }

  /**
   * Runs commands of the user in one transaction.
   * @throws {Error} when it is refused
   */
  async runTogether(commands: readonly (readonly CommandArg[])[]): Promise<readonly Reply[]> {
    return repliesIn(await this.#post("/multi-exec", joinBytes(commands.map(encodeCommand))));
  }

  /** Returns the sum of the gateway's metrics by name, or null if the token may not read them. */
  async counters(): Promise<Map<string, number> | null> {
    const response = await this.#fetch("/metrics", {});
    if (response.status === 403) return null;
    const text = await response.text();
    const counters = new Map<string, number>();
    for (const [, name, value] of text.matchAll(/^warmline_gateway_(\w+)(?:\{[^}]*\})? (\S+)$/gm)) {
      counters.set(name!, (counters.get(name!) ?? 0) + Number(value));
    }
    return counters;
  }

  async engine(): Promise<string> {
    const { engine } = (await (await this.#fetch("/health", {})).json()) as { engine?: string };
    return engine ?? "";
  }

  /**
   * Calls `onCommand` for every command of all clients, until `signal` aborts.
   * @param onOpen called once commands are reported
   * @throws {Error} when the gateway refuses, or the stream ends
   */
  async watch(
    signal: AbortSignal,
    onOpen: () => void,
    onCommand: (command: SeenCommand) => void,
  ): Promise<never> {
    const response = await this.#fetch("/console/commands", { signal });
    if (!response.ok || !response.body) {
      const { error } = (await response.json()) as { error?: string };
      throw new Refused(error ?? `HTTP ${response.status}`);
    }
    this.#own.clear();
    onOpen();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Error("the stream has ended");
      const events = (text + value).split("\n\n");
      text = events.pop()!;
      for (const event of events) {
        if (!event.startsWith("data: ")) continue;
        const command = JSON.parse(event.slice("data: ".length)) as SeenCommand;
        if (!this.#takeOwn(command)) onCommand(command);
      }
    }
  }

  async #sendOwn(commands: readonly (readonly CommandArg[])[], send: () => Promise<Reply>): Promise<Reply> {
    for (const [name, key] of commands) {
      if (this.#own.size > MAX_OWN) this.#own.clear();
      const id = ownId(String(name), key);
      this.#own.set(id, (this.#own.get(id) ?? 0) + 1);
    }
    this.ownCommands += commands.length;
    this.ownRequests++;
    try {
      return await send();
    } finally {
      this.ownRequests--;
    }
  }

  #takeOwn({ name, keys }: SeenCommand): boolean {
    const id = ownId(name.split(" ")[0]!, keys[0]);
    const count = this.#own.get(id);
    if (count === undefined) return false;
    if (count === 1) this.#own.delete(id);
    else this.#own.set(id, count - 1);
    return true;
  }

  async #post(path: string, body: Uint8Array, signal?: AbortSignal): Promise<Reply> {
    const headers = { "Content-Type": RESP, "Upstash-Response-Format": "resp2" };
    const init = { method: "POST", headers, body: body as BodyInit, signal: signal ?? null };
    const response = await this.#fetch(path, init);
    if (response.headers.get("Content-Type") === RESP) {
      return decodeReply(new Uint8Array(await response.arrayBuffer()));
    }
    const { error } = (await response.json()) as { error?: string };
    return { kind: "error", text: error ?? `HTTP ${response.status}` };
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const headers = { ...init.headers, Authorization: `Bearer ${this.token}` };
    const response = await fetch(path, { ...init, headers, cache: "no-store" });
    if (response.status === 401) throw new Unauthorized("the gateway rejected this token");
    return response;
  }
}

/** Returns the elements of an array. @throws {Error} for any other reply */
export function repliesIn(reply: Reply): readonly Reply[] {
  if (reply.kind === "array") return reply.items;
  throw new Error(reply.kind === "error" ? reply.text : "not an array of replies");
}

const decoder = new TextDecoder();

/** The commands of the page that have arguments and no key. */
const KEYLESS = ["SCAN", "INFO"];

/** Identifies a command by its name and first key. */
function ownId(name: string, key: CommandArg | undefined): string {
  if (KEYLESS.includes(name) || key === undefined) return name;
  return `${name} ${typeof key === "string" ? key : decoder.decode(key)}`;
}
