import { concat, decodeReply, encodeCommand, type Reply } from "./resp.js";

const RESP = "application/vnd.redis.resp2";

export type CommandArg = string | Uint8Array;

/** The token is missing or wrong. */
export class Unauthorized extends Error {}

export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Whether the page needs the command for itself, so that it does not count as one of a client. Default: false. */
  readonly isOwn?: boolean;
}

/** The gateway that this page came from. */
export class Gateway {
  /** Number of commands that the page has sent for itself, and of its requests under way with such commands. */
  ownCommands = 0;
  ownRequests = 0;

  constructor(readonly token: string) {}

  /** Runs one command; an error of Redis is a reply too. */
  async run(args: readonly CommandArg[], { signal, isOwn = false }: RunOptions = {}): Promise<Reply> {
    const send = () => this.#post("/", encodeCommand(args), signal);
    return isOwn ? this.#sendOwn(1, send) : send();
  }

  /** Runs commands of the page itself in one request. */
  async runAll(commands: readonly (readonly CommandArg[])[]): Promise<readonly Reply[]> {
    if (commands.length === 0) return [];
    const send = () => this.#post("/pipeline", concat(commands.map(encodeCommand)));
    return repliesIn(await this.#sendOwn(commands.length, send));
  }

  /**
   * Runs commands of the user in one transaction.
   * @throws {Error} when it is refused
   */
  async runTogether(commands: readonly (readonly CommandArg[])[]): Promise<readonly Reply[]> {
    return repliesIn(await this.#post("/multi-exec", concat(commands.map(encodeCommand))));
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

  async #sendOwn(count: number, send: () => Promise<Reply>): Promise<Reply> {
    this.ownCommands += count;
    this.ownRequests++;
    try {
      return await send();
    } finally {
      this.ownRequests--;
    }
  }

  async #post(path: string, body: Uint8Array, signal?: AbortSignal): Promise<Reply> {
    const headers = { "Content-Type": RESP, "Upstash-Response-Format": "resp2" };
    const response = await this.#fetch(path, {
      method: "POST",
      headers,
      body: body as BodyInit,
      signal: signal ?? null,
    });
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

function repliesIn(reply: Reply): readonly Reply[] {
  if (reply.kind === "array") return reply.items;
  throw new Error(reply.kind === "error" ? reply.text : "not an array of replies");
}
