import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { newFolder } from "../support/new-folder.js";

const dist = resolve(import.meta.dirname, "../../bench/dist/perf");
const folder = newFolder("cold-start");

/** Starts a process as `cold` does, with a client of this code. Returns its times in ms. */
function coldStart(code: string, phase: string, gapMs: number) {
  const bundle = join(folder, "client.mjs");
  writeFileSync(bundle, code);
  const args = [join(dist, "cold-start.js"), pathToFileURL(bundle).href, "{}", phase, String(gapMs)];
  const env = { ...process.env, NODE_OPTIONS: "" };
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", env }));
}

test("a cold start has loaded no module that a client may need before the client's import", () => {
  const modules = ["net", "tls", "http", "https", "crypto", "dns", "timers/promises", "module"];
  const list = join(folder, "loaded");
  const code = `
    const loaded = process.moduleLoadList.map((name) => name.replace("NativeModule ", ""));
    export default { connect: () => ({ get: async () => {} }) };
    const { writeFileSync } = await import("node:fs");
    writeFileSync(${JSON.stringify(list)}, loaded.join());
  `;
  coldStart(code, "at once", 0);
  const loaded = readFileSync(list, "utf8").split(",");
  expect(loaded).toContain("fs");
  expect(modules.filter((name) => loaded.includes(name))).toEqual([]);
});

test("a cold start counts the work that the init phase leaves for the turn of the event", () => {
  const busy = (begin: string) => `
    const work = () => { const until = performance.now() + 40; while (performance.now() < until); };
    export default { connect: () => { ${begin}; return { get: async () => {}, ping: async () => {} }; } };
  `;
  expect(coldStart(busy("setImmediate(work)"), "init", 0).first).toBeGreaterThanOrEqual(40);
  // A gap of 20 ms covers half of the work.
  const late = coldStart(busy("setTimeout(work, 10)"), "init", 20).first;
  expect(late).toBeGreaterThanOrEqual(25);
});
