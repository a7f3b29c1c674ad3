import type { Platform } from "../client/redis.js";
import { encodeArgs, json, rest } from "../commands/args.js";
import { blockingTime } from "../commands/blocking.js";
import { type Commands, getSpec } from "../commands/index.js";
import { findSpec } from "../commands/registry.js";
import type { ReplyMode } from "../commands/reply-mode.js";
import { type StandardSchema, schemaAmong } from "../commands/schema.js";
import type { CommandSpec } from "../commands/spec.js";
import {
  ArgumentError,
  type ConfigError,
  ConnectionError,
  ProtocolError,
  RedisError,
  SchemaError,
  UnknownOutcomeError,
} from "../errors.js";
import type * as LazyFeatures from "../features/lazy-features.js";
import { errorFactory } from "../features/subscribe/failure.js";
import type { Endpoint } from "../options/options.js";
import { type CommandArg, hasBytes, type InvalidArgument } from "../protocol/args.js";
import { bulkOf, readJson } from "../protocol/json.js";
import { MalformedReply } from "../protocol/malformed.js";
import { ErrorReply, type RawReply } from "../protocol/reply.js";
import {
  type BatchPath,
  type EncodedRequest,
  type Protocol,
  Resp2Refused,
} from "../protocol/rest-protocol.js";
import { readReply } from "../protocol/status.js";
import { afterUnknown, createTimeoutError } from "../transport/outcome.js";
import { beginCall, type CallRules, type SentCall } from "../transport/request-call.js";
import type { Transport } from "../transport/transport.js";
import { onAbort } from "../util/abort.js";
import { elapsed, moment } from "../util/clock.js";
import { clearTimeout, setTimeout } from "../util/timers.js";
import { AutoPipeline, type PendingBatch } from "./auto-pipeline.js";
import { createLimits, getSignal, type Limits, timeLeft } from "./limits.js";
import type { Middleware, RequestHandler } from "./middleware.js";
import type { QueuedCommand } from "./pipeline-sender.js";
import { MAX_TIMER, type Settings } from "./settings.js";
import type { SharedRequest } from "./shared-request.js";

/** A command ready to be sent. */
export interface Command {
  readonly spec: CommandSpec;
  readonly args: readonly unknown[];
  readonly argv: readonly CommandArg[];
  /** Whether it may change data. */
  readonly write: boolean;
  /** Whether it may be sent again when it may have been applied: a read, or a write that is guarded. */
  readonly repeatable: boolean;
  /** How long it may wait at the server, in ms, if it is one that waits. */
  readonly wait: number | undefined;
  /** Whether there are bytes among its arguments. */
  readonly bytes: boolean;
  /** The schema of the values that it reads. */
  readonly schema?: StandardSchema | undefined;
  /** Where it stands in a batch that is its user's own. */
  readonly index?: number;
  /** Calls what reads the reply in the asynchronous context of the caller, where the user's own functions read it. */
  readonly inContext?: (<T>(read: () => T) => T) | undefined;
}

/** Whether a command can't be sent, or its reply not be read, without lazy features. */
export function needsLazyFeatures({ schema, bytes }: Command): boolean {
  return bytes || schema !== undefined;
}

/** The time and the signal of a request. */
export interface RequestLimits {
  /** The time for all of it, in ms. */
  readonly time: number;
  readonly signal?: AbortSignal | undefined;
  /** Whether it carries something that an earlier call may have written. */
  readonly repeated?: boolean | undefined;
}

/** A request whose call is not known: it counts as written as soon as it is passed on. */
const SENT_BY_HANDLER: SentCall = { written: true };

/** Result of one command of a batch. A value that a schema checks may be a promise. */
export type Result = { readonly result: unknown } | { readonly error: unknown };

/** Dependencies of a client besides its settings. */
export interface ClientContext {
  readonly platform: Platform;
  readonly transport: Transport;
  readonly protocol: Protocol;
  /** The endpoint, or the error of every command if url or token is missing. Undefined with a requester. */
  readonly endpoint: Endpoint | ConfigError | undefined;
  /** Carries the requests instead of the transport, if given. */
  readonly requestHandler?: RequestHandler | undefined;
  /** Called before each command, if given. A promise is awaited. */
  readonly beforeCall?: (() => Promise<unknown> | undefined) | undefined;
}

/** Extra time in ms, so that the transport's own timeout, whose error is more precise, fires first. */
const GRACE = 20;

/** Names of a whole batch in error messages. */
const LABELS: Record<BatchPath, string> = { pipeline: "PIPELINE", "multi-exec": "MULTI" };

/** Joins commands, wire and connections; what a client, its pipelines and its transactions stand on. */
export class CommandExecutor {
  readonly #autoPipeline = new AutoPipeline(this);
  // Lazy features import none of these: they get them from here.
  readonly errorFactory = errorFactory;
  readonly bulk = bulkOf;
  readonly findSpec = findSpec;
  readonly encodeRaw = encodeArgs([rest(json, 0)]);
  #lazyFeatures: typeof LazyFeatures | undefined;
  /** Whether commands wait for it. */
  #loading = false;

  constructor(
    readonly context: ClientContext,
    readonly settings: Settings,
  ) {
    const { lazyFeatures } = context.platform;
    if (typeof lazyFeatures !== "function") this.#lazyFeatures = lazyFeatures;
  }

  /** Returns an executor with other settings. */
  withSettings(settings: Partial<Settings>): CommandExecutor {
    return new CommandExecutor(this.context, { ...this.settings, ...settings });
  }

  /**
   * Returns the lazy features, which are loaded first where they are not there.
   * @throws ConnectionError where it can't be loaded in the time of a call.
   */
  async loadLazyFeatures(): Promise<typeof LazyFeatures> {
    const { lazyFeatures } = this.context.platform;
    if (typeof lazyFeatures !== "function") return lazyFeatures;
    try {
      return await within(this.settings.timeout, lazyFeatures());
    } catch (cause) {
      throw new ConnectionError("a part of warmline could not be loaded", { cause });
    }
  }

  /**
   * Loads it for commands, which wait for it in the order issued, each by a promise of its own: requests that are served
   * in one process may share none.
   * @returns why it could not be loaded, if so.
   */
  async #load(): Promise<unknown> {
    if (this.#lazyFeatures) return undefined;
    this.#loading = true;
    try {
      this.#lazyFeatures = this.context.platform.lazyFeatures = await this.loadLazyFeatures();
      return undefined;
    } catch (error) {
      return error;
    } finally {
      this.#loading = false;
    }
  }

  /** Returns an executor with `middleware` around every request. */
  withMiddleware(middleware: Middleware): CommandExecutor {
    const next: RequestHandler =
      this.context.requestHandler ??
      (async (request, call) =>
        (await this.loadLazyFeatures()).sendDirect(this.withSettings(call.executor.settings), request, call));
    const requestHandler: RequestHandler = (request, call) =>
      middleware(request, (inner) => next(inner, call));
    return new CommandExecutor({ ...this.context, requestHandler }, this.settings);
  }

  /** @throws ArgumentError when an argument can't be sent. */
  prepare(spec: CommandSpec, given: readonly unknown[], index?: number): Command {
    const { codec, writes } = this.settings;
    const argv: CommandArg[] = spec.name.includes(" ") ? spec.name.split(" ") : [spec.name];
    const nameLength = argv.length;
    let schema: StandardSchema | undefined;
    let args = given as unknown[];
    try {
      if (spec.schema) [schema, args] = schemaAmong(given);
      spec.encodeArgs(codec.encode, args, argv);
    } catch (error) {
      if ((error as Error)?.name !== "InvalidArgument") throw error;
      const { message, cause } = error as InvalidArgument;
      throw new ArgumentError(`${spec.name}: ${message}`, { command: spec.name, index, cause });
    }
    const write = typeof spec.write === "function" ? spec.write(argv.slice(nameLength)) : spec.write;
    const repeatable = !write || writes === "at-least-once";
    return {
      spec,
      args,
      argv,
      bytes: hasBytes(argv),
      write,
      repeatable,
      wait: blockingTime(argv),
      schema,
      index,
      inContext: codec.custom || schema ? this.context.platform.contextNow?.() : undefined,
    };
  }

  get #exactlyOnce(): boolean {
    return this.settings.writes === "exactly-once";
  }

  /** Whether commands have to wait for something. */
  get waits(): boolean {
    return this.context.beforeCall !== undefined || this.#exactlyOnce || this.#loading;
  }

  /**
   * Does what has to be done ahead of commands; makes writes repeatable where they are to be applied exactly once.
   * @param needsLazy whether they can't do without lazy features.
   * @param label what error messages call them.
   * @throws ConfigError when a write can't be run so; TimeoutError or the signal's reason when the limits end it before.
   */
  async prepareToSend(
    commands: () => readonly Command[],
    needsLazy: boolean,
    limits: Limits | undefined,
    label: string,
  ): Promise<readonly Command[]> {
    const needed = needsLazy || this.#exactlyOnce;
    const done = Promise.all([
      needed || this.#loading ? this.#load() : undefined,
      this.context.beforeCall?.(),
    ]);
    const tooLate = () => createTimeoutError(label, limits!.time(), "unsent");
    const [problem] = await (limits ? within(limits.left(), done, tooLate, limits.signal) : done);
    if (needed && problem) throw problem;
    return this.#exactlyOnce ? this.#lazyFeatures!.makeRepeatable(this, commands()) : commands();
  }

  /** Runs a command by its method's name. */
  call(method: keyof Commands<ReplyMode>, ...args: unknown[]): Promise<any> {
    return this.run(getSpec(method)!, args);
  }

  /** Sends one command, with those issued in the same turn where that is allowed. */
  run(spec: CommandSpec, args: readonly unknown[]): Promise<unknown> {
    try {
      const command = this.prepare(spec, args);
      const limits = createLimits(this.settings);
      const needsLazy = needsLazyFeatures(command);
      return this.#canSendNow(needsLazy)
        ? this.#dispatch(command, limits)
        : this.#wait(() => command, needsLazy, limits, spec.name);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Sends a command given argument by argument. */
  raw(argv: readonly unknown[]): Promise<unknown> {
    const limits = createLimits(this.settings);
    const command = () => this.prepare(...this.#lazyFeatures!.rawCommand(this, argv));
    return this.#canSendNow(true)
      ? this.#dispatch(command(), limits)
      : this.#wait(command, true, limits, "exec");
  }

  /** Whether a command may be sent at once. Reads wait with the writes, to keep the order issued. */
  #canSendNow(needsLazy: boolean): boolean {
    return !this.waits && (!needsLazy || this.#lazyFeatures !== undefined);
  }

  async #wait(
    command: () => Command,
    needsLazy: boolean,
    limits: Limits | undefined,
    label: string,
  ): Promise<unknown> {
    const { pending } = this.#autoPipeline;
    pending.held++;
    try {
      const [ready] = await this.prepareToSend(() => [command()], needsLazy, limits, label);
      return this.#dispatch(ready!, limits, pending);
    } finally {
      this.#autoPipeline.release(pending);
    }
  }

  #dispatch(command: Command, limits: Limits | undefined, pending?: PendingBatch): Promise<unknown> {
    // A command that waits would keep all the others waiting.
    const batched =
      this.settings.autoPipelining &&
      command.wait === undefined &&
      (this.context.protocol.batchesBytes || !command.bytes);
    return batched
      ? this.#autoPipeline.add(command, limits, pending)
      : new Promise((resolve, reject) => this.runOne({ command, limits, resolve, reject }));
  }

  /** Whether a reply is read as bytes: by the codec, or because it is a dump. */
  #isExact({ spec }: Command): boolean {
    return !this.settings.codec.text || spec.name.endsWith("DUMP");
  }

  /** Sends one command by itself. */
  runOne({ command, limits, resolve, reject }: QueuedCommand): void {
    const time = timeLeft(this.settings, limits, command.wait);
    const read = (reply: RawReply, tried: boolean) => this.#value(command, reply, tried);
    const { argv, bytes, spec, repeatable } = command;
    // Only bytes are ever sent in another form.
    const began = bytes ? moment() : undefined;
    const send = (time: number, rejected: QueuedCommand["reject"], inPath?: boolean) =>
      this.send(
        this.context.protocol.command(
          argv,
          this.#isExact(command),
          bytes ? this.#lazyFeatures : undefined,
          inPath,
        ),
        spec.name,
        repeatable,
        read,
        resolve,
        rejected,
        { time, signal: limits?.signal },
      );
    send(time, (error) => {
      if (error instanceof Resp2Refused) send(time - elapsed(began!), reject, true);
      else reject(error);
    });
  }

  /**
   * Sends commands as one request.
   * @param wanted returns the commands. Called again before the write, where it may return fewer of a shared request.
   * @returns a result for each that was sent; rejects when the request as a whole failed.
   */
  runBatch(
    wanted: () => readonly Command[],
    path: BatchPath,
    limits: RequestLimits,
    shared?: SharedRequest,
  ): Promise<Result[]> {
    const label = LABELS[path];
    let commands: readonly Command[] = [];
    const build = (batch: readonly Command[]) => {
      commands = this.#exactlyOnce ? this.#lazyFeatures!.withRepeatableReads(this, batch, path) : batch;
      return this.context.protocol.batch(
        commands.map((command) => command.argv),
        path,
        commands.some((command) => this.#isExact(command)),
        commands.some(({ bytes }) => bytes) ? this.#lazyFeatures : undefined,
      );
    };
    let encoded = build(wanted());
    const repeatable = commands.every((command) => command.repeatable);
    const sent: EncodedRequest = shared
      ? {
          ...encoded,
          get request() {
            const batch = wanted();
            if (batch.length < commands.length) encoded = build(batch);
            return encoded.request;
          },
          read: (response) => encoded.read(response),
        }
      : encoded;
    const read = (reply: RawReply, tried: boolean) => {
      if (reply instanceof ErrorReply) {
        // Our gateway says which command a transaction was discarded for.
        const refused = /^EXECABORT .* command (\d+) of /.exec(reply.message);
        const index = refused ? Number(refused[1]) - 1 : undefined;
        const error = new RedisError(reply.message, { command: commands[index!]?.spec.name ?? label, index });
        throw tried ? afterUnknown(error, commands.some(isWriting)) : error;
      }
      if (!Array.isArray(reply) || reply.length !== commands.length) {
        throw new MalformedReply(`not an array of ${commands.length} replies`);
      }
      return reply.map((item, index) => this.#result(commands[index]!, item, tried, index));
    };
    return new Promise<Result[]>((resolve, reject) => {
      const call = this.send(sent, label, repeatable, read, resolve, reject, limits);
      if (shared) shared.call = call;
    }).catch((error) => {
      if (!(error instanceof Resp2Refused)) throw error;
      throw new ArgumentError(
        `${label}: this endpoint accepts bytes only in single commands, not in batches`,
      );
    });
  }

  /**
   * Sends an encoded request.
   * @param read makes a value of its reply.
   */
  send<T>(
    encoded: EncodedRequest,
    label: string,
    repeatable: boolean,
    read: (reply: RawReply, tried: boolean) => T,
    resolve: (value: T) => void,
    reject: (reason: unknown) => void,
    limits: RequestLimits,
  ): SentCall | undefined {
    const { endpoint, requestHandler, transport } = this.context;
    if (endpoint && !("origin" in endpoint)) {
      reject(endpoint);
      return undefined;
    }
    if (requestHandler) {
      this.#runMiddleware(requestHandler, encoded, label, repeatable, limits)
        .then((reply) => read(reply, false))
        .then(resolve, (error) => reject(protocolError(error, label)));
      return SENT_BY_HANDLER;
    }
    const readResponse: Parameters<typeof beginCall<T>>[3] = (response, tried) =>
      read(readReply(encoded, response, endpoint?.origin ?? ""), tried);
    return beginCall(
      transport,
      encoded,
      this.#rules(label, repeatable, limits),
      readResponse,
      resolve,
      reject,
    );
  }

  async #runMiddleware(
    requestHandler: RequestHandler,
    encoded: EncodedRequest,
    label: string,
    repeatable: boolean,
    limits: RequestLimits,
  ) {
    const { runMiddleware, timeoutError } = await this.loadLazyFeatures();
    const { time: timeout, signal } = limits;
    const began = moment();
    const timeLeft = () => timeout - elapsed(began);
    const call = { executor: this, argv: encoded.argv, repeatable, timeout, timeLeft, signal };
    const carried = runMiddleware(requestHandler, encoded, label, call);
    return readJson(
      await within(timeout + GRACE, carried, () => timeoutError(call, label, true), signal),
      false,
    );
  }

  /** The signal of a call made now. @throws as {@link getSignal} does. */
  get signal(): AbortSignal | undefined {
    return getSignal(this.settings);
  }

  #rules(command: string, repeatable: boolean, { time, signal, repeated }: RequestLimits): CallRules {
    const { retries, backoff } = this.settings;
    return { command, repeatable, repeated, timeout: time, signal, retries, backoff };
  }

  #result(command: Command, reply: RawReply, tried: boolean, index: number): Result {
    try {
      return { result: this.#value(command, reply, tried, index) };
    } catch (error) {
      return { error: protocolError(error, command.spec.name, index) };
    }
  }

  /** @param tried whether an earlier try of the command may have been applied. */
  #value(command: Command, reply: RawReply, tried: boolean, place?: number): unknown {
    const { spec, index = place, inContext } = command;
    if (reply instanceof ErrorReply) {
      const error = errorFrom(reply, spec.name, index);
      throw tried ? afterUnknown(error, command.write) : error;
    }
    return inContext ? inContext(() => this.#read(command, reply, index)) : this.#read(command, reply, index);
  }

  #read({ spec, args, schema }: Command, reply: RawReply, index: number | undefined): unknown {
    const { decode } = this.settings.codec;
    return schema
      ? this.#lazyFeatures!.readChecked(spec, args, schema, reply, decode, index, SchemaError)
      : spec.reply(reply, decode, args);
  }
}

/** Settles as `promise` does. Rejects if that takes more than `ms`, or if the signal aborts first. */
function within<T>(ms: number, promise: Promise<T>, tooLate?: () => Error, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end =
      <V>(how: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer);
        forget?.();
        how(value);
      };
    const giveUp = end(reject);
    const timer = setTimeout(() => giveUp(tooLate?.()), Math.min(ms, MAX_TIMER));
    const forget = signal && onAbort(signal, () => giveUp(signal.reason));
    promise.then(end(resolve), giveUp);
  });
}

/** Converts a malformed response into a ProtocolError. Returns any other error unchanged. */
function protocolError(error: unknown, command: string, index?: number): unknown {
  if (!(error instanceof MalformedReply)) return error;
  const details = { outcome: "unknown", command, index, cause: error } as const;
  return new ProtocolError(`${command}: ${error.message}`, details);
}

const isWriting = ({ write }: Command) => write;

/** In a batch our gateway says of each command whether it may have been applied, by the error's first word. */
function errorFrom({ message }: ErrorReply, command: string, index: number | undefined) {
  const [, code, reason] = /^(UNKNOWNOUTCOME|UNSENT) (.*)/s.exec(message) ?? [];
  if (code === "UNSENT") return new ConnectionError(`${command}: not sent: ${reason}`, { command, index });
  return code
    ? new UnknownOutcomeError(`${command}: ${reason}`, { outcome: "unknown", command, index })
    : new RedisError(message, { command, index });
}
