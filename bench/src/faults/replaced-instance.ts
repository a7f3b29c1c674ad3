import { setTimeout as pause } from "node:timers/promises";
import { type Instance, startInstance } from "warmline-testbed";
import type { FunctionSpec } from "../client/bench-client.js";
import { invokeFrozen } from "../rig/run-instance.js";
import { Gate } from "../util/gate.js";
import type { CallResult, TurnsEvent } from "./calls.js";

/** The function's timeout in ms. It exceeds all retries of the clients, so an unsettled call then hangs. */
export const FUNCTION_MS = 6_000;

/** Few instances start at a time, so that their time is not up because of the others. */
const starts = new Gate(2);

/** Function instances of one client, one after another: an instance whose time was up is replaced. */
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
   * Runs the handler, after `frozenMs` in which the function is frozen; it thaws with the invocation waiting. `before` runs right
   * before, or once the function is frozen. Returns undefined when the function's time was up.
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
