import { type ChildProcess, spawn } from "node:child_process";
import { basename } from "node:path";
import { within } from "./promises.js";
import { errorText } from "./usage.js";

const LIMIT_MS = 10 * 60_000;
/** Time in ms for a process to end by itself. */
const END_MS = 10_000;

/** A child process that responds to every message with one. A response with `error` is a failure. */
export class Child {
  readonly #process: ChildProcess;
  readonly #name: string;

  /** Starts a command, which inherits stdout and stderr, with more variables in its environment. */
  constructor([program, ...args]: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#process = spawn(program!, args, {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      // As JSON, NaN would become null.
      serialization: "advanced",
      env: { ...process.env, ...env },
    });
    const file = args.find((arg) => /\.m?js$/.test(arg)) ?? program!;
    this.#name = basename(file).replace(/\.m?js$/, "");
  }

  /**
   * Sends a message, if any, and returns the next one received. `step` names the request in errors.
   * @throws if the process ends first, or does not respond within `limitMs` (default: ten minutes)
   */
  request<T>(message?: object, step = Object.keys(message ?? { start: 0 })[0], limitMs = LIMIT_MS) {
    const child = this.#process;
    const response = new Promise<T>((resolve, reject) => {
      const onExit = (code: number | null, signal: string | null) =>
        reject(new Error(`${step}: the process ${this.#name} ended (${signal ?? `exit code ${code}`}).`));
      child.once("exit", onExit).once("error", reject);
      child.once("message", (received: { error?: string }) => {
        child.off("exit", onExit).off("error", reject);
        if (received.error === undefined) resolve(received as T);
        else reject(new Error(received.error));
      });
      if (message !== undefined) child.send(message);
    });
    return within(limitMs, `${step}: the response of the process ${this.#name}`, response);
  }

  /** Lets the process end what it started, and kills it if that takes longer than ten seconds. */
  async end(): Promise<void> {
    const child = this.#process;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
    await exited;
    clearTimeout(timer);
  }
}

/** Runs in a child: responds to each message of the parent with the result of `handle`, and exits with the parent. See {@link Child}. */
export function serveParent<Message>(handle: (message: Message) => Promise<object>): void {
  process.on("disconnect", () => process.exit());
  process.on("message", async (message) => {
    try {
      process.send!(await handle(message as Message));
    } catch (error) {
      process.send!({ error: errorText(error) });
    }
  });
}
