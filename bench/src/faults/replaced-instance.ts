import { setTimeout as pause } from "node:timers/promises";
import { type Instance, startInstance } from "warmline-testbed";
import type { FunctionSpec } from "../client/bench-client.js";
import { invokeFrozen } from "../rig/run-instance.js";
import { Gate } from "../util/gate.js";
import type { CallResult, TurnsEvent } from "./calls.js";

/** Timeout of the function in ms. No client retries for that long, so a call that has not settled by then counts as hung. */
export const FUNCTION_MS = 6_000;

/** Only two instances start at a time, so that none times out because of the others. */
const starts = new Gate(2);

/** The function instance of one client. If an invocation times out, the next one gets a new instance, as on Lambda. */
export class ReplacedInstance {
  private instance: Instance | undefined;

  constructor(
    readonly label: string,
    private readonly spec: FunctionSpec,
  ) {}

  get output(): string {
    return this.instance?.output ?? "";
  }

  /**
   * Invokes the function. With `frozenMs` it is first frozen for that time, and thaws with the invocation waiting. `before` runs right
   * before the invocation, or right after the freeze. Returns undefined if the function timed out.
   */
  async invoke(event: TurnsEvent, before?: () => void, frozenMs = 0): Promise<CallResult[] | undefined> {
    this.instance ??= await starts.run(() => startInstance({ ...this.spec, timeoutMs: FUNCTION_MS }));
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

  /** Stops the instance. The next invocation starts a new one. */
  async stop(): Promise<void> {
    await this.instance?.stop();
    this.instance = undefined;
  }
}
