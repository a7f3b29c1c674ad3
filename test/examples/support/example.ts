import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, inject } from "vitest";
import { createGateway, type Gateway } from "warmline-gateway";
import { preinstall } from "../../support/packages/preinstall.js";
import { run } from "../../support/packages/run.js";

const root = resolve(import.meta.dirname, "../../..");

const { dependencies } = JSON.parse(readFileSync(join(root, "examples/nextjs/package.json"), "utf8"));

/** Next.js and React as npm packages, in the versions of the example. */
export const NEXT = ["next", "react", "react-dom"].map((name) => `${name}@${dependencies[name]}`);

/** Returns the path of a platform's program, which this suite's `node_modules` has. */
export const platform = (path: string): string => join(root, "test/examples/node_modules", path);

/** Returns the path of a program of this suite that runs a part of an example on its platform. */
export const host = (name: string): string => join(root, "test/examples/hosts", name);

/** A copy of an example with its packages installed, and a gateway for it. */
export interface Example {
  readonly folder: string;
  readonly gateway: Gateway;
  /** The example's environment variables. */
  readonly env: Record<string, string>;
}

/**
 * Copies an example as a reader would, and installs it with the packed client, for the tests of a file.
 * @param extra packages beside its own.
 */
export function useExample(name: string, ...extra: string[]): Example {
  const example = {} as { -readonly [K in keyof Example]: Example[K] };
  beforeAll(async () => {
    example.folder = mkdtempSync(join(tmpdir(), `warmline-example-${name}-`));
    cpSync(join(root, "examples", name), example.folder, { recursive: true });
    if (name === "nextjs") await preinstall(example.folder, NEXT);
    const { warmline, "warmline-gateway": gateway } = inject("tarballs");
    const args = ["install", "--no-save", "--no-audit", "--no-fund", warmline, gateway, ...extra];
    await run("npm", args, example.folder, {}, 300_000);
    example.gateway = await createGateway({ port: 0 });
    example.env = { WARMLINE_URL: example.gateway.url, WARMLINE_TOKEN: example.gateway.token };
  }, 360_000);
  afterAll(async () => {
    await example.gateway?.close();
    rmSync(example.folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return example;
}

/** A server of an example, as a process. */
export interface Served {
  readonly url: string;
  /** Sends SIGTERM. Returns the exit code. */
  stop(): Promise<number | null>;
}

/** Starts a server and waits for the address that it prints. */
export async function serve(
  command: string,
  args: readonly string[],
  { folder, env }: Pick<Example, "folder" | "env">,
): Promise<Served> {
  const child: ChildProcess = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const url = await new Promise<string>((done, fail) => {
    const look = (text: Buffer) => {
      output += text;
      const found = /https?:\/\/(?:127\.0\.0\.1|localhost):[1-9]\d*/.exec(output);
      if (found) done(found[0]);
    };
    child.stdout!.on("data", look);
    child.stderr!.on("data", look);
    child.once("error", fail);
    child.once("exit", (code) =>
      fail(new Error(`${command} ${args.join(" ")} ended with ${code}: ${output}`)),
    );
  });
  return {
    url,
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      const force = setTimeout(() => child.kill("SIGKILL"), 10_000);
      const [code] = await ended;
      clearTimeout(force);
      return code;
    },
  };
}
