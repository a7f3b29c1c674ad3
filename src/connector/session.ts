import { blockingTime } from "../commands/blocking.js";
import { Limits } from "../execution/limits.js";
import { traced } from "../execution/trace.js";
import { createReplyError } from "../execution/verdict.js";
import { dataIn, streamLines } from "../features/subscribe/event-stream.js";
import type { SubscribeMethod } from "../features/subscribe/follow-stream.js";
import { CommandReader, MalformedCommand } from "./command-reader.js";
import { CommandSender, type LimitedCommand, toErrorReply } from "./command-sender.js";
import { ConnectionState, type Credentials, wrongArity } from "./connection-state.js";
import type { ConnectorContext } from "./options.js";
import { array, errorReply, errorText, OK, QUEUED, simple } from "./resp-reply.js";
import { Subscriptions } from "./subscriptions.js";

/** Maximum number of commands in a request, and their maximum size in bytes. */
const MAX_COMMANDS = 1_000;
const MAX_BYTES = 512 * 1024;

/** Maximum number of bytes of a command before AUTH. */
const MAX_UNAUTHENTICATED = 16 * 1024;

/** The message with which Redis clients reject commands when they close their connection. */
const CLOSED = "Connection is closed.";

/** Commands that are handled at once after MULTI. Other commands are queued until EXEC. */
const UNQUEUED = /^(MULTI|EXEC|DISCARD|WATCH|RESET|QUIT)$/;

/** Commands of the connection, which {@link Session} handles one by one. */
const OF_CONNECTION =
  /^(AUTH|CLIENT|DISCARD|EXEC|HELLO|MONITOR|MULTI|[PS]?(UN)?SUBSCRIBE|QUIT|READONLY|READWRITE|RESET|SELECT|(UN)?WATCH)$/;

/** Commands by which clients set up a connection. They are not traced, because refusing RESP3 would count as a failure. */
const HANDSHAKE = /^(AUTH|CLIENT|HELLO|SELECT)$/;

/** Callbacks of a session. */
export interface SessionListener {
  /** Takes replies and pushes. Returns false to pause the output until {@link Session.onDrain} is called. */
  onOutput(bytes: Buffer): boolean;
  /** The connection has ended. @param cause undefined after QUIT, or if the client closed the connection. */
  onEnd(cause?: Error): void;
}

/** One Redis connection over HTTP. Commands run in their order, and each gets one reply. */
export class Session {
  readonly #controller = new AbortController();
  readonly #reader = new CommandReader();
  readonly #sender: CommandSender;
  readonly #subscriptions: Subscriptions;
  readonly #state: ConnectionState;
  readonly #queue: LimitedCommand[] = [];
  /** The commands whose replies are outstanding. */
  #underWay: readonly LimitedCommand[] = [];
  /** Commands queued since MULTI. Undefined outside a transaction, and if EXEC arrived together with MULTI. */
  #transaction: LimitedCommand[] | undefined;
  #running = false;
  #ended = false;
  /** Whether the client has ended its input. */
  #inputEnded = false;
  /** Resolves when the output continues. Undefined if it is not paused. */
  #drained: Promise<void> | undefined;
  #onDrained = () => {};

  /** @param credentials the credentials that AUTH requires before other commands. Undefined: no AUTH is required. */
  constructor(
    private readonly context: ConnectorContext,
    private readonly listener: SessionListener,
    credentials?: Credentials,
  ) {
    this.#state = new ConnectionState(credentials);
    this.#sender = new CommandSender(context, this.#controller.signal);
    this.#subscriptions = new Subscriptions(context, this.#sender, {
      onPush: (push) => this.#output(push),
      onLost: (cause) => this.end(cause),
    });
  }

  /** Reads commands from the client's bytes and runs them. */
  onInput(chunk: Buffer): void {
    if (this.#ended) return;
    try {
      const commands = this.#reader.read(chunk);
      if (!this.#state.authenticated && this.#reader.pending > MAX_UNAUTHENTICATED) {
        throw new MalformedCommand(`more than ${MAX_UNAUTHENTICATED} bytes before AUTH`);
      }
      // Commands that arrive together share a time limit.
      const limits = new Limits(this.context.settings);
      for (const command of commands) {
        const endTrace = traceCommand(this.context, command.name);
        this.#queue.push({ ...command, limits, wait: blockingTime(command.argv), endTrace });
      }
    } catch (error) {
      const { message } = error as Error;
      this.end(
        error as Error,
        `ERR ${error instanceof MalformedCommand ? "Protocol error: " : ""}${message}`,
      );
      return;
    }
    void this.#run();
  }

  /** The client has ended its input. Commands that have arrived still run, unless a blocking command is running. */
  onInputEnd(): void {
    this.#inputEnded = true;
    if (!this.#running || this.#underWay[0]?.wait !== undefined) this.end();
  }

  /** Continues the output. */
  onDrain(): void {
    this.#drained = undefined;
    this.#onDrained();
  }

  /**
   * Ends the connection. Each command without a reply gets an error reply first, so that clients do not send it again when they
   * reconnect. `cause` is undefined if the client closed the connection. `last` is the error reply to malformed input.
   */
  end(cause?: Error, last?: string): void {
    if (this.#ended) return;
    this.#ended = true;
    const { written } = this.#sender;
    const waiting = this.#queue.splice(0);
    const errors = [
      ...this.#underWay.map(({ name }) => describeLost(name, written, cause)),
      ...waiting.map(({ name }) => describeLost(name, false, cause)),
      ...(last === undefined ? [] : [last]),
    ];
    const reason = cause ?? new Error(CLOSED);
    for (const { endTrace } of [...this.#underWay, ...waiting]) endTrace?.(reason);
    this.#underWay = [];
    this.#controller.abort(reason);
    this.#subscriptions.close();
    this.onDrain();
    if (errors.length > 0) this.listener.onOutput(Buffer.concat(errors.map(errorReply)));
    this.listener.onEnd(cause);
  }

  /** Writes output. Returns a promise that resolves when the output continues, if it is paused. */
  #output(bytes: Buffer): Promise<void> | undefined {
    if (this.#ended) return undefined;
    if (!this.listener.onOutput(bytes)) {
      this.#drained ??= new Promise((resolve) => {
        this.#onDrained = resolve;
      });
    }
    return this.#drained;
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      while (this.#queue.length > 0) {
        if (this.#drained) await this.#drained;
        if (this.#ended) return;
        this.#underWay = this.#takeNext();
        const [first] = this.#underWay;
        const replies = this.#canPipeline(first!)
          ? await this.#sender.pipeline(this.#underWay)
          : await this.#handle(this.#underWay);
        if (this.#ended) return;
        // SUBSCRIBE and UNSUBSCRIBE have no reply here: their confirmations were written before.
        for (const [i, { endTrace }] of this.#underWay.entries()) endTrace?.(replies[i] ?? OK);
        const blocked = this.#underWay.some(({ wait }) => wait !== undefined);
        this.#underWay = [];
        if (replies.length > 0) this.#output(Buffer.concat(replies));
        if (blocked) this.#renewLimits();
        if (first!.name === "QUIT") this.end();
      }
      this.#running = false;
      if (this.#inputEnded) this.end();
    } catch (error) {
      // If end() was called before, it has replied already.
      this.end(error as Error);
    }
  }

  /** Lets the time limits of queued commands begin now: before, a blocking command held them up for its own time. */
  #renewLimits(): void {
    const limits = new Limits(this.context.settings);
    for (const [at, command] of this.#queue.entries()) this.#queue[at] = { ...command, limits };
  }

  /** Takes the commands that are handled together: the commands of a request, a whole transaction, or one command. */
  #takeNext(): readonly LimitedCommand[] {
    const queue = this.#queue;
    const [first] = queue;
    if (first!.name === "MULTI" && !this.#transaction) return queue.splice(0, this.#sizeOfTransaction());
    let count = 1;
    if (this.#canPipeline(first!) && first!.wait === undefined) {
      let bytes = first!.raw.length;
      for (; count < Math.min(queue.length, MAX_COMMANDS); count++) {
        const next = queue[count]!;
        bytes += next.raw.length;
        // WAIT and WAITAOF are about the writes before them in the same request.
        const waits = next.wait !== undefined && !next.name.startsWith("WAIT");
        if (waits || bytes > MAX_BYTES || !this.#canPipeline(next)) break;
      }
    }
    return queue.splice(0, count);
  }

  #canPipeline({ name }: LimitedCommand): boolean {
    return (
      !this.#transaction &&
      this.#state.isOpen &&
      !OF_CONNECTION.test(name) &&
      !(name === "PING" && this.#subscriptions.size > 0)
    );
  }

  /** Returns the number of commands from the MULTI at the front to its EXEC; 1 if EXEC has not arrived. */
  #sizeOfTransaction(): number {
    const end = this.#queue.findIndex(({ name }, index) => index > 0 && UNQUEUED.test(name));
    return this.#queue[end]?.name === "EXEC" ? end + 1 : 1;
  }

  /** Returns the replies to the commands. Confirmations of subscriptions are written separately. */
  async #handle(commands: readonly LimitedCommand[]): Promise<readonly Buffer[]> {
    const [command] = commands as [LimitedCommand];
    const { name, args, limits } = command;
    if (this.#transaction && !UNQUEUED.test(name)) {
      this.#transaction.push(command);
      return [QUEUED];
    }
    const localReply = this.#state.replyTo(command);
    if (localReply) return commands.map(() => localReply);
    switch (name) {
      case "MULTI":
        if (this.#transaction) return [errorReply("ERR MULTI calls can not be nested")];
        if (commands.length > 1) return this.#runTransaction(commands);
        this.#transaction = [];
        return [OK];
      case "EXEC":
        return [await this.#exec(limits)];
      case "DISCARD":
        return [this.#discard()];
      case "HELLO":
        return [this.#state.hello(args) ?? (await this.#hello(command))];
      case "CLIENT":
      case "INFO":
        return this.#sender.pipeline(commands);
      case "MONITOR":
        return [await this.#monitor(limits)];
      case "PING":
        return [array(["pong", args[0] ?? ""])];
      case "QUIT":
        return [OK];
      case "RESET":
        this.#transaction = undefined;
        this.#state.reset();
        this.#subscriptions.close();
        return [simple("RESET")];
      default:
        return this.#changeSubscriptions(command);
    }
  }

  /** Runs MULTI to EXEC. Returns a reply for each of them. */
  async #runTransaction(commands: readonly LimitedCommand[]): Promise<readonly Buffer[]> {
    const inside = commands.slice(1, -1);
    const replies: Buffer[] = [OK, ...inside.map(() => QUEUED)];
    const result = await this.#commit(inside, commands[0]!.limits);
    // The gateway reports the command that made it discard the transaction. That command's reply is the error.
    const [, place, text] =
      /^EXECABORT .*? command (\d+) of \d+, '.*?': (.*)/s.exec(errorText(result) ?? "") ?? [];
    if (place === undefined) return [...replies, result];
    replies[Number(place)] = errorReply(text!);
    return [...replies, errorReply("EXECABORT Transaction discarded because of previous errors.")];
  }

  async #exec(limits: Limits): Promise<Buffer> {
    const commands = this.#transaction;
    this.#transaction = undefined;
    return commands ? this.#commit(commands, limits) : errorReply("ERR EXEC without MULTI");
  }

  /** Returns the reply to EXEC. */
  async #commit(commands: readonly LimitedCommand[], limits: Limits): Promise<Buffer> {
    if (this.#state.watchRefused) {
      this.#state.watchRefused = false;
      return errorReply("EXECABORT Transaction discarded because WATCH before it was refused.");
    }
    return commands.length === 0 ? array([]) : this.#sender.transaction(commands, limits);
  }

  #discard(): Buffer {
    if (!this.#transaction) return errorReply("ERR DISCARD without MULTI");
    this.#transaction = undefined;
    this.#state.watchRefused = false;
    return OK;
  }

  /** Returns the reply to HELLO 2, with facts from INFO. */
  async #hello(command: LimitedCommand): Promise<Buffer> {
    const info: LimitedCommand = {
      ...command,
      name: "INFO",
      argv: ["INFO"],
      args: [],
      raw: Buffer.from("*1\r\n$4\r\nINFO\r\n"),
    };
    const [received] = await this.#sender.pipeline([info]);
    if (errorText(received!) !== undefined) return received!;
    const text = received!.toString();
    const field = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, "m").exec(text)?.[1] ?? "";
    // Clients read the facts by their places. No connection of Redis has the id 0.
    return array([
      ...["server", "redis", "version", field("redis_version"), "proto", 2, "id", 0],
      ...["mode", field("redis_mode"), "role", field("role"), "modules", []],
    ]);
  }

  /** Starts MONITOR and returns its reply. A line follows for each command that Redis runs. */
  async #monitor(limits: Limits): Promise<Buffer> {
    const { endpoint, transport } = this.context;
    const { signal } = this.#controller;
    const open = transport.fetch?.bind(transport);
    const lines = streamLines(
      { endpoint, open, path: "/monitor", command: "MONITOR", signal },
      limits.left(),
    );
    try {
      for (;;) {
        const { value } = await lines.next();
        const data = value!.map(dataIn).filter((line) => line !== undefined);
        if (data.length === 0) continue;
        void this.#followMonitor(lines);
        return Buffer.concat([OK, ...data.slice(1).map(simple)]);
      }
    } catch (error) {
      signal.throwIfAborted();
      return toErrorReply(error, "MONITOR");
    }
  }

  async #followMonitor(groups: AsyncIterable<readonly string[]>): Promise<void> {
    try {
      for await (const lines of groups) {
        const data = lines.map(dataIn).filter((line) => line !== undefined);
        if (data.length > 0) await this.#output(Buffer.concat(data.map(simple)));
      }
    } catch (error) {
      this.end(error as Error);
    }
  }

  async #changeSubscriptions({ name, args, limits }: LimitedCommand): Promise<readonly Buffer[]> {
    const unsubscribes = name.includes("UNSUB");
    const method = name.replace("UNSUB", "SUB").toLowerCase() as SubscribeMethod;
    if (!unsubscribes && args.length === 0) {
      return [wrongArity(name.toLowerCase())];
    }
    try {
      if (unsubscribes) await this.#subscriptions.unsubscribe(method, args, limits);
      else await this.#subscriptions.subscribe(method, args, limits);
      return [];
    } catch (error) {
      this.#controller.signal.throwIfAborted();
      return [toErrorReply(error, name)];
    }
  }
}

/** Returns the error of a command whose connection ended before its reply. */
function describeLost(name: string, written: boolean, cause: Error | undefined): string {
  if (!cause) return CLOSED;
  return written
    ? `UNKNOWNOUTCOME ${name}: sent, and the connection ended before its reply, so it may have been applied: ${cause.message}`
    : `UNSENT ${name}: not sent: ${cause.message}`;
}

/** Starts the trace of a command. Returns the callback that ends it, or undefined if no trace is published. */
function traceCommand(context: ConnectorContext, name: string): LimitedCommand["endTrace"] {
  if (!context.tracer.isActive("command") || HANDSHAKE.test(name)) return undefined;
  let endTrace!: NonNullable<LimitedCommand["endTrace"]>;
  const run = () =>
    new Promise<void>((resolve, reject) => {
      endTrace = (end) => {
        const text = Buffer.isBuffer(end) ? errorText(end) : undefined;
        if (end instanceof Error) reject(end);
        else if (text === undefined) resolve();
        else reject(createReplyError(text, name));
      };
    });
  traced(context, "command", run, () => ({ command: name })).catch(() => {});
  return endTrace;
}
