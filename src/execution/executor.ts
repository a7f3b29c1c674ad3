import { type Commands, getSpec } from "../commands/index.js";
import type { ReplyMode } from "../commands/reply-mode.js";
import type { CommandSpec } from "../commands/spec.js";
import type { RawReply } from "../protocol/reply.js";
import type { ClientContext, ConfiguredClient } from "./client-context.js";
import { Call, Command, Pending } from "./command.js";
import { decodeReply } from "./decode.js";
import { sendDirect } from "./direct.js";
import { guardWrite } from "./exactly-once/guard.js";
import { beforeCall, createLimits, type Limits } from "./limits.js";
import type { Middleware, RequestHandler } from "./middleware.js";
import { getNear } from "./near-hooks.js";
import { AutoPipeline, sendList } from "./queue.js";
import type { Settings } from "./settings.js";
import { traced } from "./trace.js";
import { errorOf } from "./verdict.js";

/** Runs the commands of a client. */
export class CommandExecutor implements ConfiguredClient {
  readonly #autoPipeline = new AutoPipeline(this);

  constructor(
    readonly context: ClientContext,
    readonly settings: Settings,
  ) {}

  /** Returns an executor with other settings. */
  withSettings(settings: Partial<Settings>): CommandExecutor {
    return new CommandExecutor(this.context, { ...this.settings, ...settings });
  }

  /** Returns an executor with `middleware` around every request. */
  withMiddleware(middleware: Middleware): CommandExecutor {
    const { context } = this;
    const next: RequestHandler =
      context.requestHandler ??
      ((request, call) => sendDirect({ context, settings: call.settings }, request, call));
    const requestHandler: RequestHandler = (request, call) =>
      middleware(request, async (inner) => next(inner, call));
    // The new context inherits from this one, whose endpoint may be found in the environment later.
    return new CommandExecutor(Object.assign(Object.create(context), { requestHandler }), this.settings);
  }

  /** Runs the command of the method with this name. */
  call(method: keyof Commands<ReplyMode>, ...args: unknown[]): Promise<any> {
    return this.run(getSpec(method)!, args);
  }

  /** Runs a command. Rejects with ArgumentError if an argument can't be sent. */
  run(spec: CommandSpec, args: readonly unknown[]): Promise<unknown> {
    const waitFor = beforeCall(this, spec.name);
    return waitFor ? waitFor.then(() => this.#run(spec, args)) : this.#run(spec, args);
  }

  #run(spec: CommandSpec, args: readonly unknown[]): Promise<unknown> {
    try {
      const command = new Command(this, spec, args);
      const { context } = this;
      const { name } = spec;
      const details = () => ({
        command: name,
        ...(context.tracesArgs && { args: command.argv.slice(name.split(" ").length) }),
      });
      const perform = () => getNear(this)?.run(this, command) ?? this.send(command);
      return traced(context, "command", perform, details);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Sends an encoded command, in an auto-pipeline if that is allowed. Returns its value. The limits of the call begin now by default.
   * @throws ConfigError if the command can't be run exactly once; the signal's reason if it is aborted.
   */
  send(unguarded: Command, callLimits?: Limits): Promise<unknown> {
    // First, since `createLimits` may throw: a write that was called takes its ordinal of the scope even then.
    const command = guardWrite(this, unguarded);
    const limits = callLimits ?? createLimits(this.settings);
    return new Promise((resolve) => {
      const pending = new Pending(command, limits, new Call(resolve));
      if (this.#mayBatch(command)) this.#autoPipeline.add(pending);
      else sendList(this, [pending]);
    });
  }

  /** Returns the value of a command from a reply that was received earlier. */
  decode(command: Command, reply: RawReply): unknown {
    try {
      return decodeReply(command, reply);
    } catch (error) {
      throw errorOf(error, { command, possiblyApplied: false });
    }
  }

  /** Whether a command may be in an auto-pipeline. A blocking command would hold up the others. */
  #mayBatch({ wait, bytes }: Command): boolean {
    const { batchesBytes } = this.context.protocol;
    return this.settings.autoPipelining && wait === undefined && (batchesBytes || !bytes);
  }
}
