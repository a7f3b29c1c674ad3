import { type ChildProcess, execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import { expect } from "vitest";

const CLI = fileURLToPath(new URL("../../bench/dist/cli.js", import.meta.url));
const SCHEMA = new URL("../../bench/schema/results.schema.json", import.meta.url);

/** The result of a run of the bench. */
export interface BenchEnded {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the bench as npm does, in `folder`: that of this repository, or another `cli`. */
export function bench(
  folder: string,
  args: readonly string[],
  env: object = {},
  cli = CLI,
): Promise<BenchEnded> {
  return new Promise((resolve) => startBench(folder, args, env, cli, resolve));
}

/** Starts the bench as npm does, in `folder`. @param onEnded called with its output when it has ended */
export function startBench(
  folder: string,
  args: readonly string[],
  env: object = {},
  cli = CLI,
  onEnded: (ended: BenchEnded) => void = () => {},
): ChildProcess {
  const options = {
    cwd: folder,
    env: { ...process.env, INIT_CWD: folder, ...env },
    maxBuffer: 64 * 1024 * 1024,
  };
  return execFile(process.execPath, [cli, ...args], options, (error, stdout, stderr) => {
    onEnded({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr });
  });
}

/** Runs the bench and returns its standard output. @throws Error with its standard error if it exits with another code than 0 */
export async function benchOutput(folder: string, args: readonly string[], cli = CLI): Promise<string> {
  const { code, stdout, stderr } = await bench(folder, args, {}, cli);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

const validate = new Ajv({ allErrors: true, strict: false }).compile(
  JSON.parse(readFileSync(SCHEMA, "utf8")),
);

/** Returns violations of the checked-in schema in results; an empty list if there are none. */
export function schemaErrors(results: unknown): string[] {
  validate(results);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Runs a scenario quickly, with its further parts, as a user does, and returns its result. Its JSON fits the schema, its page has no gaps. */
export async function quickRun(folder: string, scenario: string, ...args: string[]): Promise<any> {
  const files = ["--json", `${scenario}.json`, "--report", `${scenario}.html`];
  const { code, stderr } = await bench(folder, [scenario, "--quick", ...args, ...files]);
  expect(code, stderr).toBe(0);
  const result = JSON.parse(readFileSync(join(folder, `${scenario}.json`), "utf8"));
  expect(schemaErrors(result)).toEqual([]);
  expect(readFileSync(join(folder, `${scenario}.html`), "utf8")).not.toMatch(/NaN|undefined|Infinity/);
  return result;
}

/** Returns the rows of a part of a scenario; without a name, those of the scenario itself. */
export const rowsOf = ({ data }: { readonly data: readonly any[] }, part?: string): any[] =>
  data.filter((row) => row.part === part);
