import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const MAX_OUTPUT = 1_000_000;

/** Finds the function of a stack that `bench/aws/deploy.sh` deployed. @throws if the AWS CLI fails, with its message */
export async function findFunction(stack: string) {
  const described = await aws("cloudformation", "describe-stacks", "--stack-name", stack);
  const outputs: { OutputKey: string; OutputValue: string }[] = described.Stacks[0].Outputs ?? [];
  const output = (key: string): string => {
    const value = outputs.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
    if (value === undefined)
      throw new Error(`The stack ${stack} has no output ${key}: deploy it with bench/aws/deploy.sh.`);
    return value;
  };
  const named = ["--function-name", output("FunctionName")] as const;
  const configured = await aws("lambda", "get-function-configuration", ...named);
  const { Runtime, FunctionArn, Environment } = configured;
  return {
    /** The memory sizes in MB to measure, from the outputs of the stack. */
    sizes: output("MemorySizes").split(",").map(Number),
    runtime: Runtime as string,
    region: FunctionArn.split(":")[3] as string,
    /** Sets the function's memory and environment variables, so that the next invocation is a cold start. */
    startAnew: async (memoryMb: number, variables: Readonly<Record<string, string>>) => {
      const all = { ...Environment.Variables, ...variables, BENCH_RUN: randomBytes(6).toString("hex") };
      const size = ["--memory-size", String(memoryMb)];
      const environment = ["--environment", JSON.stringify({ Variables: all })];
      await aws("lambda", "update-function-configuration", ...named, ...size, ...environment);
      await aws("lambda", "wait", "function-updated-v2", ...named);
    },
    invoke: async (event: unknown): Promise<Invocation> => {
      const folder = mkdtempSync(join(tmpdir(), "warmline-lambda-"));
      const file = join(folder, "result.json");
      try {
        const payload = ["--cli-binary-format", "raw-in-base64-out", "--payload", JSON.stringify(event)];
        const invoked = await aws("lambda", "invoke", ...named, "--log-type", "Tail", ...payload, file);
        const { LogResult, FunctionError } = invoked;
        if (FunctionError === undefined) return readReport(Buffer.from(LogResult, "base64").toString());
        const { errorType, errorMessage } = JSON.parse(readFileSync(file, "utf8"));
        throw new Error(`${named[1]}: ${errorType}: ${errorMessage}`);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  };
}

export interface Invocation {
  readonly durationMs: number;
  readonly billedMs: number;
  /** The duration of the init phase; undefined if the instance was warm. */
  readonly initMs: number | undefined;
}

/**
 * Reads the REPORT line of an invocation's log.
 * @throws if the log has no REPORT line
 * @see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html
 */
export function readReport(log: string): Invocation {
  const report = /^REPORT RequestId: .*$/m.exec(log)?.[0];
  const time = (name: string) => {
    const found = new RegExp(`\\t${name}: ([\\d.]+) ms`).exec(report ?? "")?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const [durationMs, billedMs] = [time("Duration"), time("Billed Duration")];
  if (durationMs === undefined || billedMs === undefined) throw new Error("Lambda's log has no REPORT line.");
  return { durationMs, billedMs, initMs: time("Init Duration") };
}

async function aws(...args: readonly string[]): Promise<any> {
  try {
    const { stdout } = await run("aws", [...args, "--output", "json"], { maxBuffer: MAX_OUTPUT });
    return stdout.trim() === "" ? undefined : JSON.parse(stdout);
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { readonly stderr?: string };
    if (code === "ENOENT") throw new Error("The scenario lambda needs the AWS CLI: aws is not in PATH.");
    // The message leaves out the command line, which contains the Redis token.
    throw new Error(`aws ${args.slice(0, 2).join(" ")}: ${stderr?.trim() || "failed"}`);
  }
}
