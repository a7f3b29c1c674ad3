import { AutomaticBatch } from "./batch/automatic.js";
import {
  type Middleware,
  type Requester,
  replyOf,
  responseOf,
  type UpstashRequest,
  type UpstashResponse,
  upstashRequest,
} from "./client/requester.js";
import { blockingTime } from "./commands/blocking.js";
import type { Encode, Row } from "./commands/row.js";
import { isWrite } from "./commands/write.js";
import type { Endpoint } from "./config.js";
import { type CallRules, call } from "./connection/call.js";
import type { Transport } from "./connection/transport.js";
import {
  ArgumentError,
  ConfigError,
  ConnectionError,
  ProtocolError,
  RedisError,
  UnknownOutcomeError,
  WarmlineError,
} from "./errors.js";
import { canRunOnce, needsNoGuard, once } from "./once/once.js";
import { LONGEST_TIMER, type Settings, timeLeft } from "./settings.js";
import { utf8 } from "./wire/bytes.js";
import type { HttpAnswer } from "./wire/http.js";
import { MalformedReply } from "./wire/malformed.js";
import { type BatchPath, type Message, type Protocol, Resp2Refused } from "./wire/protocol.js";
import { ErrorReply, type RawReply } from "./wire/reply.js";
import { hasBytes } from "./wire/request.js";
import { toWords, type Word } from "./wire/words.js";

/** A command ready to be sent. */
export interface Command {
  readonly row: Row;
  readonly args: readonly unknown[];
  readonly words: readonly Word[];
  /** Whether it may change data. */
  readonly write: boolean;
  /** Whether it may be sent again when it may have been applied: a read, or a write that is guarded. */
  readonly repeatable: boolean;
  /** How long it may wait at the server, in ms, if it is one that waits. */
  readonly wait: number | undefined;
}

/** What a batch gives for one of its commands. */
export type Result = { readonly value: unknown } | { readonly error: Error };

/** What error messages call a batch as a whole. */
const LABELS: Record<BatchPath, string> = { pipeline: "PIPELINE", "multi-exec": "MULTI" };

/** Joins commands, wire and connections; what a client, its pipelines and its transactions stand on. */
export class Core {
  constructor(
    readonly transport: Transport,
    private readonly protocol: Protocol,
    readonly settings: Settings,
    /** Where it all goes, or what every command is rejected with when url or token is missing. */
    readonly endpoint: Endpoint | ConfigError,
    /** What carries the requests instead of the transport, where there is such a thing. */
    private readonly requester?: Requester,
  ) {}

  /** The same endpoint and connections with other settings. */
  derive(settings: Settings): Core {
    return new Core(this.transport, this.protocol, settings, this.endpoint, this.requester);
  }

  /** The same with `middleware` around every request. */
  around(middleware: Middleware): Core {
    const next = this.requester ?? { request: (request: UpstashRequest) => this.forward(request) };
    const requester: Requester = {
      request: (request) => middleware(request, (inner) => next.request(inner)),
    };
    return new Core(this.transport, this.protocol, this.settings, this.endpoint, requester);
  }

  get syncToken(): string {
    return this.protocol.syncToken;
  }

  set syncToken(token: string) {
    this.protocol.syncToken = token;
  }

  /** Sends what middleware lets through. */
  private forward({ path = [], body, signal }: UpstashRequest): Promise<UpstashResponse<any>> {
    const route = path.join("/");
    const commands = (route === "" ? [body] : body) as unknown[][];
    const label = route === "" ? String(commands[0]?.[0]) : route.toUpperCase();
    const rules = this.rules(label, !commands.some(isWrite), timeLeft(this.settings));
    const request = this.protocol.plain(body, route);
    return call(this.transport, request, signal ? { ...rules, signal } : rules, (answer: HttpAnswer) =>
      responseOf(utf8(answer.body, 0, answer.body.length), label),
    );
  }

  /** @throws ArgumentError when an argument can't be sent, ConfigError when the command can't be run exactly once. */
  prepare(row: Row, args: readonly unknown[]): Command {
    const { codec, writes } = this.settings;
    const own = ownWords(row, codec.encode, args);
    const words = toWords(row.name, own);
    const write = typeof row.write === "function" ? row.write(own) : row.write;
    const command = {
      row,
      args,
      words,
      write,
      repeatable: !write || writes === "at-least-once",
      wait: blockingTime(words),
    };
    return write && writes === "exactly-once" && !needsNoGuard(words) ? this.guarded(command) : command;
  }

  private guarded(command: Command): Command {
    const words = once(command.words, this.settings.replyLifetime, this.protocol.isForeign);
    return { ...command, words, repeatable: true };
  }

  /**
   * A batch that is repeated as a whole must give what it gave first: its reads are guarded like its writes, those
   * of a transaction all, those of a pipeline where a write comes after them.
   */
  private withReadsGuarded(commands: readonly Command[], path: BatchPath): readonly Command[] {
    if (this.settings.writes !== "exactly-once") return commands;
    const end = path === "multi-exec" ? commands.length : commands.findLastIndex(({ write }) => write);
    return commands.map((command, at) =>
      !command.write && at < end && canRunOnce(command.words) ? this.guarded(command) : command,
    );
  }

  /** Sends one command, with those issued in the same turn where that is allowed. */
  run(row: Row, args: readonly unknown[]): Promise<unknown> {
    let command: Command;
    try {
      command = this.prepare(row, args);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.isBatched(command) ? this.automatic.add(command) : this.runOne(command);
  }

  /**
   * Sends commands as one request.
   * @returns a result for each; rejects when the request as a whole failed.
   */
  runBatch(batch: readonly Command[], path: BatchPath, time = timeLeft(this.settings)): Promise<Result[]> {
    const label = LABELS[path];
    const commands = this.withReadsGuarded(batch, path);
    const safe = commands.every((command) => command.repeatable);
    const words = commands.map((command) => command.words);
    return this.send(this.protocol.batch(words, path), label, safe, time, (reply) => {
      if (reply instanceof ErrorReply) throw new RedisError(reply.message, { command: label });
      if (!Array.isArray(reply) || reply.length !== commands.length) {
        throw new MalformedReply(`not an array of ${commands.length} replies`);
      }
      return reply.map((item, index) => this.result(commands[index]!, item, index));
    }).catch((error) => {
      if (!(error instanceof Resp2Refused)) throw error;
      throw new ArgumentError(`${label}: this endpoint takes bytes only in single commands`, {
        outcome: "unsent",
      });
    });
  }

  private readonly automatic = new AutomaticBatch({
    sendOne: (command) => this.runOne(command),
    sendBatch: (commands, time) => this.runBatch(commands, "pipeline", time),
    time: () => timeLeft(this.settings),
    signal: () => this.signal,
    errorFor: (error, { row }) => (error instanceof WarmlineError ? error.about(row.name) : error),
    waitBefore: (retry, left) => {
      const wait = retry < this.settings.retries ? this.settings.backoff(retry) : Number.POSITIVE_INFINITY;
      return wait < left ? wait : undefined;
    },
    onRetry: (retry, waitMs, outcome) =>
      this.transport.onRetry({ command: LABELS.pipeline, outcome, retry, waitMs }),
  });

  private isBatched({ words, wait }: Command): boolean {
    // A command that waits would keep all the others waiting.
    if (!this.settings.autoPipelining || wait !== undefined) return false;
    return this.protocol.batchesBytes || !hasBytes(words);
  }

  private runOne({ words, row, repeatable, wait = 0, args }: Command): Promise<unknown> {
    const read = (reply: RawReply) => this.value(row, args, reply);
    const time = Math.min(timeLeft(this.settings, wait), LONGEST_TIMER);
    return this.send(this.protocol.command(words), row.name, repeatable, time, read).catch((error) => {
      if (!(error instanceof Resp2Refused)) throw error;
      return this.send(this.protocol.command(words, true), row.name, repeatable, time, read);
    });
  }

  private send<T>(
    message: Message,
    label: string,
    safe: boolean,
    timeout: number,
    read: (reply: RawReply) => T,
  ): Promise<T> {
    if (this.endpoint instanceof ConfigError) return Promise.reject(this.endpoint);
    if (this.requester) return this.request(this.requester, message, label, read);
    const rules = this.rules(label, safe, timeout);
    return call(this.transport, message.request, rules, (answer: HttpAnswer) => read(message.read(answer)));
  }

  private get signal(): AbortSignal | undefined {
    const { signal } = this.settings;
    return typeof signal === "function" ? signal() : signal;
  }

  private rules(command: string, safe: boolean, timeout: number): CallRules {
    const { writes, replyLifetime, retries, backoff } = this.settings;
    return {
      command,
      safe,
      // No repeat may come after the first reply is forgotten.
      timeout: writes === "exactly-once" ? Math.min(timeout, replyLifetime) : timeout,
      signal: this.signal,
      retries,
      backoff,
    };
  }

  private async request<T>(
    requester: Requester,
    { words, route }: Message,
    label: string,
    read: (reply: RawReply) => T,
  ): Promise<T> {
    if ((route ? words : [words]).some((command) => hasBytes(command as Word[]))) {
      throw new ArgumentError(`${label}: bytes can't pass middleware, which sees JSON`, {
        outcome: "unsent",
      });
    }
    return read(replyOf(await requester.request(upstashRequest(words, route))));
  }

  private result(command: Command, reply: RawReply, index: number): Result {
    try {
      return { value: this.value(command.row, command.args, reply, index) };
    } catch (error) {
      if (!(error instanceof MalformedReply)) return { error: error as Error };
      const { name } = command.row;
      const details = { outcome: "unknown", command: name, index, cause: error } as const;
      return { error: new ProtocolError(`${name}: ${error.message}`, details) };
    }
  }

  private value(row: Row, args: readonly unknown[], reply: RawReply, index?: number): unknown {
    if (reply instanceof ErrorReply) throw errorFrom(reply, row.name, index);
    return row.reply(reply, this.settings.codec.decode, args);
  }
}

/** Arguments of a shape that no overload has, such as a missing object, make the row stumble. */
function ownWords(row: Row, encode: Encode, args: readonly unknown[]): unknown[] {
  try {
    return row.words(encode, ...args);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new ArgumentError(`${row.name}: arguments of another shape than the command takes`, {
      outcome: "unsent",
      command: row.name,
      cause,
    });
  }
}

/** In a batch our gateway says of each command whether it may have been applied, by the error's first word. */
function errorFrom({ message }: ErrorReply, command: string, index: number | undefined): WarmlineError {
  if (message.startsWith("UNKNOWNOUTCOME ")) {
    return new UnknownOutcomeError(`${command}: ${message.slice(15)}`, {
      outcome: "unknown",
      command,
      index,
    });
  }
  if (message.startsWith("UNSENT ")) {
    return new ConnectionError(`${command}: not sent: ${message.slice(7)}`, {
      outcome: "unsent",
      command,
      index,
    });
  }
  return new RedisError(message, { command, index });
}
