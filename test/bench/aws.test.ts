import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGateway, type Gateway } from "warmline-gateway";
import { type Instance, startInstance } from "warmline-testbed";
import { readReport } from "../../bench/src/aws/lambda.js";
import { bench, schemaErrors } from "../support/bench.js";
import { newFolder } from "../support/new-folder.js";

// The code that is deployed runs in the testbed, and an "aws" in PATH stands for the AWS CLI.

const run = promisify(execFile);
const folder = newFolder("aws");
const build = join(folder, "build");
const TOKEN = "a-token-that-must-not-be-printed";
/** Sends its arguments to the test and prints what it gets back. */
const AWS = `#!${process.execPath}
const response = await fetch(process.env.FAKE_AWS, { method: "POST", body: JSON.stringify(process.argv.slice(2)) });
const { stdout = "", stderr = "", code = 0 } = await response.json();
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = code;
`;

let gateway: Gateway;
let server: Server;
let instance: Instance | undefined;
let variables: Record<string, string>;
let starts = 0;
/** The sizes in MB that the function was given. */
const sizes: number[] = [];
/** The events of all invocations. */
const events: { readonly command?: string }[] = [];

/** The replies of the AWS CLI, as far as the bench uses it. */
async function reply(args: readonly string[]): Promise<object> {
  const value = (name: string) => args[args.indexOf(name) + 1]!;
  const json = (body: unknown) => ({ stdout: JSON.stringify(body) });
  switch (args[1]) {
    case "describe-stacks":
      if (value("--stack-name") !== "some")
        return { stderr: "Stack with id other does not exist", code: 254 };
      return json({
        Stacks: [
          {
            Outputs: [
              { OutputKey: "FunctionName", OutputValue: "some-Function" },
              { OutputKey: "MemorySizes", OutputValue: "512,1769" },
            ],
          },
        ],
      });
    case "get-function-configuration":
      return json({
        Runtime: "nodejs22.x",
        FunctionArn: "arn:aws:lambda:eu-west-1:1:function:some-Function",
        Environment: { Variables: variables },
      });
    case "update-function-configuration":
      variables = JSON.parse(value("--environment")).Variables;
      sizes.push(Number(value("--memory-size")));
      await instance?.stop();
      instance = undefined;
      return json({});
    case "wait":
      return {};
    default: {
      const isNew = !instance;
      if (isNew) starts++;
      const env = { ...variables, BENCH_CLIENT: variables.BENCH_CLIENT!.replace("/var/task", build) };
      instance ??= await startInstance({ handler: join(build, "index.mjs"), env });
      const event = JSON.parse(value("--payload"));
      events.push(event);
      const { result, durationMs } = await instance.invoke(event);
      writeFileSync(args[args.indexOf("--output") - 1]!, JSON.stringify(result));
      const init = isNew ? `\tInit Duration: ${instance.initMs.toFixed(2)} ms` : "";
      const report = `REPORT RequestId: 1\tDuration: ${durationMs.toFixed(2)} ms\tBilled Duration: ${Math.ceil(durationMs)} ms\tMemory Size: 512 MB${init}\t\n`;
      return json({ StatusCode: 200, LogResult: Buffer.from(`START\n${report}`).toString("base64") });
    }
  }
}

beforeAll(async () => {
  gateway = await createGateway({ port: 0, engine: "embedded", token: TOKEN });
  variables = {
    BENCH_CLIENT: "/var/task/clients/warmline.js",
    BENCH_ENDPOINT: JSON.stringify({ url: gateway.url, token: TOKEN }),
    BENCH_KEEPALIVE: "1",
    BENCH_LIFETIME: "reused",
  };
  await run(process.execPath, [
    fileURLToPath(new URL("../../bench/aws/package.mjs", import.meta.url)),
    build,
  ]);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "aws"), AWS);
  chmodSync(join(folder, "aws"), 0o755);
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", async () => response.end(JSON.stringify(await reply(JSON.parse(body)))));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});

afterAll(async () => {
  server.close();
  await instance?.stop();
  await gateway.close();
});

/** Returns the number that the function counts up. */
async function counter(): Promise<number> {
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const response = await fetch(`${gateway.url}/get/counter`, { headers });
  return Number(((await response.json()) as { result: string }).result);
}

const environment = (stack: string) => ({
  WARMLINE_AWS_STACK: stack,
  FAKE_AWS: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  PATH: `${folder}:${process.env.PATH}`,
});

describe("the scenario lambda", () => {
  test("lambda measures the deployed code, with a new instance per case", async () => {
    const few = ["--rounds", "1", "--invocations", "2", "--seconds", "0.1"];
    const args = ["lambda", "--clients", "warmline,agent", ...few];
    const files = ["--json", "lambda.json", "--report", "lambda.html"];
    const { code, stdout, stderr } = await bench(folder, [...args, ...files], environment("some"));
    expect(code, stderr).toBe(0);
    const text = readFileSync(join(folder, "lambda.json"), "utf8");
    const result = JSON.parse(text);
    expect(schemaErrors(result)).toEqual([]);
    expect(result.data).toHaveLength(2 * 4);
    for (const row of result.data) {
      expect([row.init.count, row.warm.count, row.set.count, row.incr.count]).toEqual([1, 1, 1, 1]);
      expect(Math.min(row.init.min, row.set.min, row.incr.min)).toBeGreaterThan(0);
    }
    // One of them set the key.
    expect(starts).toBe(1 + 8);
    expect(sizes.filter((size) => size === 512)).toHaveLength(4);
    expect(sizes.filter((size) => size === 1_769)).toHaveLength(4);
    expect(events.filter(({ command }) => command === "incr")).toHaveLength(8);
    expect(await counter()).toBe(8);
    expect(result.settings).toMatchObject({
      memoryMb: [512, 1_769],
      region: "eu-west-1",
      runtime: "nodejs22.x",
    });
    for (const output of [stdout, stderr, text, readFileSync(join(folder, "lambda.html"), "utf8")]) {
      expect(output).not.toContain(TOKEN);
    }
  }, 300_000);

  test("a stack that does not exist is an error in AWS's words", async () => {
    const { code, stderr } = await bench(folder, ["lambda", "--quick"], environment("other"));
    expect(code).toBe(1);
    expect(stderr).toContain("aws cloudformation describe-stacks: Stack with id other does not exist");
  });

  test("lambda names what it needs without a stack or the AWS CLI", async () => {
    const without = { ...environment("some"), PATH: "/nowhere" };
    expect((await bench(folder, ["lambda", "--quick"], without)).stderr).toContain("aws is not in PATH");
    const { stderr } = await bench(folder, ["lambda", "--quick"], { WARMLINE_AWS_STACK: "" });
    expect(stderr).toContain("needs a stack on AWS: bench/aws/deploy.sh");
  });
});

test("the REPORT line of a log is read, with and without an init phase", () => {
  const line =
    "REPORT RequestId: a\tDuration: 12.30 ms\tBilled Duration: 13 ms\tMemory Size: 512 MB\tMax Memory Used: 80 MB";
  expect(readReport(`START\n${line}\t\nEND`)).toEqual({ durationMs: 12.3, billedMs: 13, initMs: undefined });
  expect(readReport(`${line}\tInit Duration: 150.10 ms\t`)).toMatchObject({ initMs: 150.1 });
  expect(() => readReport("START")).toThrow("Lambda's log has no REPORT line.");
});
