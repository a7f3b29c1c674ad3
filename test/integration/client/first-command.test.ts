import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { RawEndpoint, resp2Response } from "../../support/endpoint.js";

// The cost of a cold start: Node's own modules that a program loads with its first command.

const PROGRAM = `
import { builtinModules } from "node:module";
import { Redis } from "warmline";
const before = new Set(process.moduleLoadList);
await new Redis({ url: process.argv[1], token: "t" }).get("a");
const loaded = [...process.moduleLoadList].filter((name) => !before.has(name));
console.log(JSON.stringify(loaded.map((name) => name.replace("NativeModule ", ""))
  .filter((name) => builtinModules.includes(name))));
process.exit();
`;

test("the first command loads net and what that needs, and no perf_hooks", async () => {
  const endpoint = await RawEndpoint.startForTest();
  endpoint.answer(resp2Response("+OK\r\n"));
  const args = ["--input-type=module", "--eval", PROGRAM, endpoint.url];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  const loaded: string[] = JSON.parse(stdout);
  expect(loaded).toContain("net");
  const expected = ["diagnostics_channel", "events", "net", "stream", "stream/promises", "timers"];
  expect(loaded.filter((name) => !expected.includes(name))).toEqual([]);
});
