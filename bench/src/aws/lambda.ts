import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** The largest output of the AWS CLI in bytes. */
const MAX_OUTPUT = 1_000_000;

/** One invocation, as Lambda reports it; times in ms. */
export interface Invocation {
  readonly result: unknown;
  readonly durationMs: number;
  readonly billedMs: number;
  /** The duration of the init phase; undefined if the instance was warm. */
  readonly initMs: number | undefined;
}

/** A function on AWS Lambda, used through the AWS CLI. */
export class LambdaFunction {
  private constructor(
    readonly name: string,
    /** The sizes in MB that the stack was deployed with. */
    readonly sizes: readonly number[],
    readonly runtime: string,
    readonly region: string,
    private readonly variables: Readonly<Record<string, string>>,
  ) {}

  /**
   * Finds the function of a stack that `bench/aws/deploy.sh` deployed.
   * @throws if the AWS CLI fails; the message is its own
   */
  static async ofStack(stack: string): Promise<LambdaFunction> {
    const described = await aws("cloudformation", "describe-stacks", "--stack-name", stack);
    const outputs: { OutputKey: string; OutputValue: string }[] = described.Stacks[0].Outputs ?? [];
    const output = (key: string): string => {
      const value = outputs.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
      if (value === undefined)
        throw new Error(`The stack ${stack} has no output ${key}: deploy it with bench/aws/deploy.sh.`);
      return value;
    };
    const name = output("FunctionName");
    const sizes = output("MemorySizes").split(",").map(Number);
    const configured = await aws("lambda", "get-function-configuration", "--function-name", name);
    const { Runtime, FunctionArn, Environment } = configured;
    return new LambdaFunction(name, sizes, Runtime, FunctionArn.split(":")[3], Environment.Variables);
  }

  /** Sets its memory in MB and variables of its environment, so that the next invocation starts an instance. */
  async startAnew(memoryMb: number, variables: Readonly<Record<string, string>>): Promise<void> {
    const all = { ...this.variables, ...variables, BENCH_RUN: randomBytes(6).toString("hex") };
    const environment = JSON.stringify({ Variables: all });
    await aws(
      ...["lambda", "update-function-configuration", "--function-name", this.name],
      ...["--memory-size", String(memoryMb), "--environment", environment],
    );
    await aws("lambda", "wait", "function-updated-v2", "--function-name", this.name);
  }

  /** @throws if the handler fails */
  async invoke(event: unknown): Promise<Invocation> {
    const folder = mkdtempSync(join(tmpdir(), "warmline-lambda-"));
    const file = join(folder, "result.json");
    try {
      const { LogResult, FunctionError } = await aws(
        ...["lambda", "invoke", "--function-name", this.name, "--log-type", "Tail"],
        ...["--cli-binary-format", "raw-in-base64-out", "--payload", JSON.stringify(event), file],
      );
      const result = JSON.parse(readFileSync(file, "utf8"));
      if (FunctionError !== undefined)
        throw new Error(`${this.name}: ${result.errorType}: ${result.errorMessage}`);
      return { result, ...readReport(Buffer.from(LogResult, "base64").toString()) };
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}

/**
 * Reads the REPORT line of an invocation's log.
 * @throws if there is none
 * @see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html
 */
export function readReport(log: string): Omit<Invocation, "result"> {
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
    // The command line has the token of Redis, so it is not repeated.
    throw new Error(`aws ${args.slice(0, 2).join(" ")}: ${stderr?.trim() || "failed"}`);
  }
}
