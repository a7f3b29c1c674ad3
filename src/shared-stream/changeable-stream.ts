import { ConnectionError, TimeoutError } from "../errors.js";
import type { ConfiguredClient } from "../execution/client-context.js";
import { dataIn, getStreamEndpoint, streamLines } from "../features/subscribe/event-stream.js";
import type { SubscribeMethod } from "../features/subscribe/follow-stream.js";
import { bulkOf } from "../protocol/json.js";
import { RetryBudget } from "../transport/retry-budget.js";
import { onAbort } from "../util/abort.js";
import { rootCause } from "../util/root-cause.js";
import { clearTimeout, setTimeout, sleep } from "../util/timers.js";

/** A channel, a pattern or a sharded channel. */
export interface TopicName {
  readonly method: SubscribeMethod;
  readonly name: string;
}

/** Returns the unique key of a topic. */
export const keyOf = (method: string, name: string) => `${method} ${name}`;

/** Callbacks of a {@link ChangeableStream}. */
export interface ChangeableStreamListener {
  /**
   * @param key the channel or pattern that was subscribed to: see {@link keyOf}.
   * @param lines the event's lines.
   */
  onMessage(stream: ChangeableStream, key: string, lines: string): void;
  /** The channel or pattern was added. Not called for names that the event can't hold: see {@link ChangeableStream.change}. */
  onAdded(stream: ChangeableStream, key: string): void;
  /** An event of the whole stream: a gap, or a heartbeat. */
  onEvent(stream: ChangeableStream, lines: string): void;
  /** The stream was lost. Not called after {@link ChangeableStream.close}. */
  onLost(stream: ChangeableStream): void;
}

/** The endpoint refused a change. */
export class ChangeRefused extends Error {
  constructor(readonly status: number) {
    super(`the endpoint refused the change with status ${status}`);
  }
}

/** An event stream of warmline-gateway whose channels can be changed while it is open. It begins without any. */
export class ChangeableStream {
  readonly #client: ConfiguredClient;
  readonly #listener: ChangeableStreamListener;
  readonly #controller = new AbortController();
  #id = "";

  constructor(client: ConfiguredClient, listener: ChangeableStreamListener) {
    this.#client = client;
    this.#listener = listener;
  }

  /** Whether the stream was lost or closed. */
  get ended(): boolean {
    return this.#controller.signal.aborted;
  }

  /**
   * Opens the stream.
   * @param command the name in error messages.
   * @throws what `streamLines` throws.
   */
  async open(command: string): Promise<void> {
    const { signal } = this.#controller;
    const request = {
      ...getStreamEndpoint(this.#client, command),
      path: "/events",
      body: "{}",
      command,
      signal,
    };
    const groups = streamLines(request, this.#client.settings.timeout);
    // The first event is the id.
    while (!this.#id) this.#read((await groups.next()).value);
    void this.#readOn(groups);
  }

  /**
   * Changes the channels. Resolves when all are confirmed, each of which is an event of the stream too.
   * @param field such as `subscribe` or `punsubscribe`, by the method that a name is of.
   * @throws ChangeRefused; ConnectionError or TimeoutError.
   */
  change(names: readonly TopicName[], field: (name: TopicName) => string): Promise<void> {
    const lists: Record<string, string[]> = {};
    for (const topic of names) {
      lists[field(topic)] ??= [];
      lists[field(topic)]!.push(topic.name);
    }
    return this.#send(JSON.stringify(lists), names[0]!.method.toUpperCase());
  }

  /** Sends a change. One that is sent again changes nothing more. */
  async #send(body: string, command: string): Promise<void> {
    const { settings } = this.#client;
    const budget = new RetryBudget(settings, settings.timeout);
    const controller = new AbortController();
    const { signal } = controller;
    const forget = onAbort(this.#controller.signal, () => controller.abort(this.#controller.signal.reason));
    const timer = setTimeout(() => {
      const message = `${command}: the endpoint did not confirm the change in time`;
      controller.abort(new TimeoutError(message, { command }));
    }, settings.timeout);
    try {
      for (;;) {
        const problem = await this.#attempt(body, command, signal);
        if (!problem) return;
        signal.throwIfAborted();
        const wait = budget.next();
        if (wait === undefined) throw problem;
        await sleep(wait, signal);
        signal.throwIfAborted();
      }
    } finally {
      clearTimeout(timer);
      forget();
    }
  }

  /** @returns why the change may be sent again, if it may. @throws ChangeRefused. */
  async #attempt(body: string, command: string, signal: AbortSignal): Promise<ConnectionError | undefined> {
    const { endpoint, open = fetch } = getStreamEndpoint(this.#client, command);
    const failed = (reason: string, cause?: unknown) =>
      new ConnectionError(`${command}: ${reason}`, { command, cause });
    let status: number;
    try {
      // Like the stream outside the pool, whose connections are for commands.
      const response = await open(`${endpoint.origin}${endpoint.path}/events/${this.#id}`, {
        method: "POST",
        headers: { authorization: `Bearer ${endpoint.token}`, "content-type": "application/json" },
        redirect: "manual",
        signal,
        body,
      });
      status = response.status;
      await response.text();
    } catch (error) {
      return failed(rootCause(error as Error).message, error);
    }
    if (status === 200) return undefined;
    if (status >= 500 || status === 429) return failed(`status ${status}`);
    throw new ChangeRefused(status);
  }

  close(): void {
    this.#controller.abort(new ConnectionError("the event stream was closed"));
  }

  async #readOn(groups: AsyncGenerator<string[], never>): Promise<void> {
    try {
      for await (const lines of groups) this.#read(lines);
    } catch (error) {
      if (this.ended) return;
      this.#controller.abort(error);
      this.#listener.onLost(this);
    }
  }

  #event = "";
  #exact: string | undefined;

  #read(lines: readonly string[]): void {
    for (const line of lines) {
      const data = dataIn(line);
      if (line.startsWith("event: ")) this.#event = line.slice(7);
      else if (line.startsWith("exact: ")) this.#exact = line.slice(7);
      else if (line === ":") this.#listener.onEvent(this, ":\n\n");
      else if (line === "") {
        if (this.#event === "gap") this.#listener.onEvent(this, "event: gap\ndata:\n\n");
        this.#event = "";
        this.#exact = undefined;
      } else if (data !== undefined) {
        if (this.#event === "stream") this.#id = data;
        else this.#onData(data, this.#exact);
      }
    }
  }

  #onData(data: string, exact: string | undefined): void {
    const [kind = "", name = ""] = data.split(",", 2);
    if (!kind.endsWith("message")) {
      const added = data.slice(kind.length + 1, data.lastIndexOf(","));
      // A space may stand for a line break.
      if (!added.includes(" ")) this.#listener.onAdded(this, keyOf(kind, added));
      return;
    }
    const method = kind.replace("message", "subscribe");
    const subscribed = exact === undefined ? name : bulkOf(exact.split(",", 1)[0]!, true).text();
    const lines = exact === undefined ? `data: ${data}\n\n` : `exact: ${exact}\ndata: ${data}\n\n`;
    this.#listener.onMessage(this, keyOf(method, subscribed), lines);
  }
}
