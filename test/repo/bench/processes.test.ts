import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { namespaceMissing, runInNamespace } from "../../../bench/src/parts/tw-reuse.js";
import { performInProcess } from "../../../bench/src/runner/scenario-process.js";
import { Child } from "../../../bench/src/util/child.js";
import { newFolder } from "../../support/new-folder.js";

const folder = newFolder("bench");

/** Writes a program that runs this for each message of its parent. */
function program(name: string, body: string): string {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(
    file,
    `process.on("disconnect", () => process.exit());\nprocess.on("message", (message) => {${body}});`,
  );
  return file;
}

test("a scenario whose process crashes rejects with its name", async () => {
  const file = program(
    "crashes",
    'process.stderr.write = () => true; Promise.reject(new Error("unhandled"));',
  );
  await expect(performInProcess({ scenario: "idle", args: ["all"] }, file)).rejects.toThrow(
    "idle: the process crashes ended (exit code 1).",
  );
});

test("a scenario's result comes from its process, which ends", async () => {
  const file = program(
    "responds",
    "process.send({ result: { scenario: message.scenario, pid: process.pid } });",
  );
  const { result } = await performInProcess({ scenario: "idle", args: ["all"] }, file);
  const { scenario, pid } = result as any;
  expect(scenario).toBe("idle");
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

test("a process that does not respond rejects with the step and the limit", async () => {
  const child = new Child([process.execPath, program("silent", "")]);
  await expect(child.request({ record: 1 }, undefined, 20)).rejects.toThrow(
    "record: the response of the process silent took longer than 0.02 s.",
  );
  await child.end();
});

test("a program in a namespace has a limit", async ({ skip }) => {
  const missing = namespaceMissing();
  skip(missing !== undefined, missing);
  const file = join(folder, "endless.mjs");
  writeFileSync(file, "setInterval(() => {}, 1_000);");
  await expect(runInNamespace(file, {}, 300)).rejects.toThrow(
    "The process endless.mjs in a network namespace took longer than 0.3 s.",
  );
});
