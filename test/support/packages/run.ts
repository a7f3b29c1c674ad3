import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Runs a program that installs what a suite needs. Returns the folder that it prints, or null where it fails, and prints why. */
export async function installOrSkip(program: string): Promise<string | null> {
  const printed = await run("node", [program], ".", {}, 320_000).catch((error: Error) => {
    process.stderr.write(`Skipped: ${error.message}\n`);
    return "";
  });
  return printed.trim() || null;
}

/**
 * Runs a command to its end, while servers in this process go on answering.
 * @returns what it printed.
 * @throws when it fails or takes longer than `timeout` (ms, default two minutes), with what it printed in the message.
 */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>> = {},
  timeout = 120_000,
): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, timeout, maxBuffer: 64 * 1024 * 1024 };
  try {
    const { stdout } = await promisify(execFile)(command, args, options);
    return stdout;
  } catch (error) {
    const { stdout, stderr, killed } = error as { stdout?: string; stderr?: string; killed?: boolean };
    const why = killed ? `took longer than ${timeout} ms` : "failed";
    throw new Error(`${command} ${args.join(" ")} ${why}\n${stderr ?? ""}${stdout ?? ""}`.trim(), {
      cause: error,
    });
  }
}
