import { type Commands, getSpec } from "../commands/index.js";
import type { ReplyMode } from "../commands/reply-mode.js";
import type { CommandSpec } from "../commands/spec.js";
import { AutoPipeline } from "./auto-pipeline.js";
import type { ClientContext, ConfiguredClient } from "./client-context.js";
import { type Command, createCommand } from "./command.js";
import { sendCommand } from "./command-request.js";
import { sendDirect } from "./direct-request.js";
import { guardWrite } from "./exactly-once/guard.js";
import { createLimits } from "./limits.js";
import type { Middleware, RequestHandler } from "./middleware.js";
import { PendingCommand } from "./pending-command.js";
import type { Settings } from "./settings.js";

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
    return new CommandExecutor({ ...context, requestHandler }, this.settings);
  }

  /** Runs a command by its method's name. */
  call(method: keyof Commands<ReplyMode>, ...args: unknown[]): Promise<any> {
    return this.run(getSpec(method)!, args);
  }

  /**
   * Sends one command, with those issued in the same turn where that is allowed. Rejects with ArgumentError when an argument
   * can't be sent.
   */
  run(spec: CommandSpec, args: readonly unknown[]): Promise<unknown> {
    try {
      const command = guardWrite(this, createCommand(this, spec, args));
      const limits = createLimits(this.settings);
      const waitFor = this.context.beforeCall?.();
      return new Promise((resolve, reject) =>
        this.#dispatch(new PendingCommand(command, limits, resolve, reject), waitFor),
      );
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #dispatch(pending: PendingCommand, waitFor: Promise<unknown> | undefined): void {
    const { command } = pending;
    if (this.#mayBatch(command)) this.#autoPipeline.add(pending, waitFor);
    else if (waitFor) {
      pending.arm();
      waitFor.then(
        () => pending.settled || sendCommand(this, pending),
        (error) => pending.reject(error),
      );
    } else sendCommand(this, pending);
  }

  /** A command that waits would keep all the others waiting. */
  #mayBatch({ wait, bytes }: Command): boolean {
    const { batchesBytes } = this.context.protocol;
    return this.settings.autoPipelining && wait === undefined && (batchesBytes || !bytes);
  }
}
