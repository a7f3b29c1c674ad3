import { isUtf8 } from "node:buffer";
import { ArgumentError, ConnectionError } from "../errors.js";
import type { Limits } from "../execution/limits.js";
import { dataIn, streamLines } from "../features/subscribe/event-stream.js";
import type { SubscribeMethod } from "../features/subscribe/follow-stream.js";
import { toHex } from "../protocol/bytes.js";
import { RetryBudget } from "../transport/retry-budget.js";
import { clearTimeout, setTimeout, sleep } from "../util/timers.js";
import { type CommandSender, RequestRefused } from "./command-sender.js";
import type { ConnectorContext } from "./options.js";

/** Callbacks of an event stream. */
export interface EventStreamListener {
  /** A subscription was confirmed; messages follow. */
  onSubscribed(stream: EventStream, method: SubscribeMethod, name: Buffer): void;
  /** @param parts channel and message, with the pattern before them if `kind` is `pmessage`. */
  onMessage(stream: EventStream, kind: string, parts: readonly Buffer[]): Promise<void> | undefined;
  /** The stream ended after its first confirmation, or messages may have been missed. */
  onLost(cause: Error): void;
}

/** The subscriptions of a command that waits for their confirmations. */
interface Unconfirmed {
  /** The names by their lines of confirmation. Names that differ only in line breaks have the same line. */
  readonly names: Map<string, Buffer[]>;
  readonly method: SubscribeMethod;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** One event stream of the gateway, whose channels can be changed while it is open. */
export class EventStream {
  readonly #controller = new AbortController();
  /** The id for changes, from the stream's first event. */
  #id: string | undefined;
  #unconfirmed: Unconfirmed | undefined;
  /** Whether a subscription was confirmed. */
  #standing = false;
  /** The field `exact` of the current event: its parts in base64. */
  #exact: string | undefined;
  /** The name of the current event. */
  #event: string | undefined;

  constructor(
    private readonly context: ConnectorContext,
    private readonly sender: CommandSender,
    private readonly listener: EventStreamListener,
  ) {}

  /** Whether channels can be added. */
  get changeable(): boolean {
    return this.#id !== undefined;
  }

  /** Opens the stream. Resolves when all subscriptions are confirmed. */
  open(method: SubscribeMethod, names: readonly Buffer[], limits: Limits): Promise<void> {
    const areText = names.every(isUtf8);
    if (!areText && names.some((name) => /^\.{0,2}$/.test(name.toString()))) {
      const command = method.toUpperCase();
      const message =
        'a channel named "", "." or ".." can\'t be subscribed to together with one that is not UTF-8';
      return Promise.reject(new ArgumentError(`${command}: ${message}`, { command }));
    }
    const confirmation = this.#expectConfirmations(method, names);
    // JSON can't contain names that are not UTF-8. They go into the path, and such a stream can't be changed.
    const request = areText
      ? { path: "/events", body: JSON.stringify({ [method]: names.map(String) }) }
      : { path: `/${method}/${names.map((name) => toHex(name, "%")).join("/")}` };
    void this.#run(request, method, limits);
    return confirmation;
  }

  /**
   * Subscribes to further channels. Resolves when all are confirmed.
   * @returns false if the stream is full, or the gateway that responded does not have it: several may share the address.
   */
  async add(method: SubscribeMethod, names: readonly Buffer[], limits: Limits): Promise<boolean> {
    const confirmation = this.#expectConfirmations(method, names);
    const timer = setTimeout(
      () => this.#fail(new Error("the event stream did not confirm a subscription in time")),
      limits.left(),
    );
    try {
      await this.#change({ [method]: names.map(String) }, method, limits);
      await confirmation;
      return true;
    } catch (error) {
      this.#unconfirmed = undefined;
      confirmation.catch(() => {});
      if (error instanceof RequestRefused && (error.status === 404 || error.status === 409)) return false;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Unsubscribes. After a failure, further messages arrive, which the listener has to drop. */
  async remove(method: SubscribeMethod, names: readonly Buffer[], limits: Limits): Promise<void> {
    if (!this.changeable || !names.every(isUtf8)) return;
    const field = method.replace("sub", "unsub");
    await this.#change({ [field]: names.map(String) }, field, limits).catch(() => {});
  }

  close(): void {
    this.#controller.abort();
  }

  #change(lists: object, field: string, limits: Limits): Promise<void> {
    return this.sender.changeStream(this.#id!, JSON.stringify(lists), field.toUpperCase(), limits);
  }

  #expectConfirmations(method: SubscribeMethod, names: readonly Buffer[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const byLine = new Map<string, Buffer[]>();
      for (const name of names) {
        const line = toConfirmationLine(name);
        byLine.set(line, [...(byLine.get(line) ?? []), name]);
      }
      this.#unconfirmed = { method, names: byLine, resolve, reject };
    });
  }

  async #run(
    request: { path: string; body?: string },
    method: SubscribeMethod,
    limits: Limits,
  ): Promise<void> {
    const { endpoint, settings, transport } = this.context;
    const { signal } = this.#controller;
    const stream = {
      ...request,
      endpoint,
      open: transport.fetch?.bind(transport),
      command: method.toUpperCase(),
      signal,
    };
    const budget = new RetryBudget(settings, limits.left());
    while (!signal.aborted) {
      try {
        for await (const lines of streamLines(stream, budget.timeLeft)) await this.#read(lines);
      } catch (error) {
        if (signal.aborted) return;
        const isRetryable = !this.#standing && error instanceof ConnectionError;
        const wait = isRetryable ? budget.next() : undefined;
        if (wait === undefined) this.#fail(error as Error);
        else await sleep(wait, signal);
      }
    }
  }

  #fail(error: Error): void {
    if (this.#standing) this.listener.onLost(error);
    else this.#unconfirmed?.reject(error);
    this.close();
  }

  async #read(lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      const data = dataIn(line);
      if (line.startsWith("exact: ")) this.#exact = line.slice(7);
      else if (line === "event: gap") throw new Error("messages may have been missed");
      else if (line.startsWith("event: ")) this.#event = line.slice(7);
      else if (data !== undefined) {
        if (this.#event === "stream") this.#id = data;
        else {
          const waits = this.#onEvent(data, this.#exact);
          if (waits) await waits;
        }
        this.#exact = undefined;
        this.#event = undefined;
      }
    }
  }

  #onEvent(data: string, exact: string | undefined): Promise<void> | undefined {
    const [kind, rest] = splitAt(data, data.indexOf(","));
    if (kind.endsWith("message")) {
      const parts =
        exact === undefined
          ? textParts(kind, rest).map((part) => Buffer.from(part))
          : exact.split(",").map((part) => Buffer.from(part, "base64"));
      return this.listener.onMessage(this, kind, parts);
    }
    const { method, names, resolve } = this.#unconfirmed ?? {};
    const [line] = splitAt(rest, rest.lastIndexOf(","));
    const confirmed = kind === method ? names?.get(line) : undefined;
    const name = confirmed?.shift();
    if (!name) return undefined;
    if (confirmed!.length === 0) names!.delete(line);
    this.#standing = true;
    this.listener.onSubscribed(this, method!, name);
    if (names!.size === 0) {
      this.#unconfirmed = undefined;
      resolve!();
    }
    return undefined;
  }
}

function splitAt(text: string, at: number): [before: string, after: string] {
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Returns the parts of a message that has no field `exact`: then no name contains a comma. */
function textParts(kind: string, rest: string): string[] {
  const [first, after] = splitAt(rest, rest.indexOf(","));
  return kind === "pmessage" ? [first, ...splitAt(after, after.indexOf(","))] : [first, after];
}

/** Returns the name as the gateway writes it into the line that confirms a subscription. */
const toConfirmationLine = (name: Buffer) => name.toString().replace(/[\r\n]/g, " ");
