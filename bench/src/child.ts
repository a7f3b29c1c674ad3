import { type ChildProcess, spawn } from "node:child_process";

/** A child process that responds to every message with one. A response with `error` is a failure. */
export class Child {
  private constructor(private readonly child: ChildProcess) {}

  /** Starts a command. It inherits stdout and stderr. */
  static async start(
    [program, ...args]: string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Child> {
    const child = spawn(program!, args, {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      env: { ...process.env, ...env },
    });
    return new Child(child);
  }

  /** Sends a message, if any, and returns the next one received. @throws if the process ends first */
  request<T>(message?: unknown): Promise<T> {
    return new Promise((resolve, reject) => {
      const { child } = this;
      const onExit = (code: number | null) =>
        reject(new Error(`a measured process exited with code ${code}`));
      child.once("exit", onExit).once("error", reject);
      child.once("message", (response: { error?: string }) => {
        child.off("exit", onExit).off("error", reject);
        if (response.error === undefined) resolve(response as T);
        else reject(new Error(response.error));
      });
      if (message !== undefined) child.send(message as object);
    });
  }

  stop(): void {
    if (this.child.connected) this.child.disconnect();
    this.child.kill();
  }
}
