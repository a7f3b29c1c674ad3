import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { newFolder } from "../../support/new-folder.js";

export const CLI = fileURLToPath(new URL("../../../gateway/dist/cli.js", import.meta.url));

/** The folder of the token that gateways without a given one keep. */
export const STATE_FOLDER = newFolder("state");

/** A run of the built command line, with what it printed. */
export class CliProcess {
  readonly child: ChildProcess;
  stdout = "";
  stderr = "";
  /** Exit status, or the signal that ended it. */
  readonly ended: Promise<number | string>;

  /** @param file what is run, where it is not the file that was built */
  constructor(
    args: readonly string[],
    environment: NodeJS.ProcessEnv = {},
    options: SpawnOptions = {},
    file = CLI,
  ) {
    this.child = spawn(process.execPath, [file, ...args], {
      env: { PATH: process.env.PATH, XDG_STATE_HOME: STATE_FOLDER, ...environment },
      stdio: ["pipe", "pipe", "pipe"],
      ...options,
    });
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    this.ended = once(this.child, "close").then(([code, signal]) => code ?? signal);
  }

  /** Waits until the text has been printed, or fails when the process ends before. */
  async printed(pattern: RegExp, where: "stdout" | "stderr" = "stdout"): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this[where]);
      if (found !== null) return found;
      const stream = this.child[where];
      if (stream === null || stream.readableEnded) {
        throw new Error(`ended without printing ${pattern}; stdout: ${this.stdout}; stderr: ${this.stderr}`);
      }
      await Promise.race([once(stream, "data"), once(stream, "end")]);
    }
  }

  /** Ends it by SIGTERM and waits. */
  async stop(): Promise<number | string> {
    this.child.kill("SIGTERM");
    return this.ended;
  }
}

/** Sends one command to a gateway and returns status and response. */
export async function post(url: string, token: string, command: readonly string[]) {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(command),
  });
  return { status: response.status, body: await response.json() };
}
