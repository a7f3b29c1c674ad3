import { setTimeout as pause } from "node:timers/promises";
import { type Instance, startInstance } from "warmline-testbed";
import type { FunctionSpec } from "../client/bench-client.js";
import { invokeFrozen } from "../rig/run-instance.js";
import { Gate } from "../util/gate.js";
import type { CallResult, TurnsEvent } from "./calls.js";

/** The function's timeout in ms. The clients' retries take less, so a call that is still unsettled then hangs. */
export const FUNCTION_MS = 6_000;

/** Only two instances start at a time, so that none times out because of the others. */
const starts = new Gate(2);

/** Function instances of one client, one after another: one that timed out is replaced. */
export class ReplacedInstance {
  private instance: Instance | undefined;

  constructor(
    readonly label: string,
    private readonly what: FunctionSpec,
  ) {}

  get output(): string {
    return this.instance?.output ?? "";
  }

  /**
   * Runs the handler. With `frozenMs` the function is first frozen for that time, and the invocation waits when it thaws. `before` runs
   * right before the invocation, or as soon as the function is frozen. Returns undefined if the function timed out.
   */
  async invoke(event: TurnsEvent, before?: () => void, frozenMs = 0): Promise<CallResult[] | undefined> {
    this.instance ??= await starts.run(() => startInstance({ ...this.what, timeoutMs: FUNCTION_MS }));
    const { instance } = this;
    if (frozenMs > 0) await instance.freeze();
    before?.();
    if (frozenMs > 0) await pause(frozenMs);
    const { result, error } = await (frozenMs > 0 ? invokeFrozen(instance, event) : instance.invoke(event));
    if (!error) return result as CallResult[];
    if (error.errorType === "Sandbox.Timedout") {
      await this.stop();
      return undefined;
    }
    throw new Error(`${this.label}: ${error.errorType}: ${error.errorMessage}\n${this.output}`);
  }

  /** Ends the instance; the next invocation starts another. */
  async stop(): Promise<void> {
    await this.instance?.stop();
    this.instance = undefined;
  }
}
