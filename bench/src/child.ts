import { type ChildProcess, spawn } from "node:child_process";

/** A child process that answers every message with one. An answer with `error` is a failure. */
export class Child {
  private constructor(private readonly child: ChildProcess) {}

  /** Starts a command. Its output is this process's. */
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

  /** Sends a message, or none, and gives the next one that comes. @throws when it ends instead */
  request<T>(message?: unknown): Promise<T> {
    return new Promise((resolve, reject) => {
      const { child } = this;
      const onExit = (code: number | null) => reject(new Error(`a measured process ended with ${code}`));
      child.once("exit", onExit).once("error", reject);
      child.once("message", (answer: { error?: string }) => {
        child.off("exit", onExit).off("error", reject);
        if (answer.error === undefined) resolve(answer as T);
        else reject(new Error(answer.error));
      });
      if (message !== undefined) child.send(message as object);
    });
  }

  stop(): void {
    if (this.child.connected) this.child.disconnect();
    this.child.kill();
  }
}
