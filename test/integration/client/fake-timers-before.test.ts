import { symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../support/new-folder.js";
import { run } from "../../support/packages/run.js";

// A set-up file that fakes timers runs before the client is imported, so each program is a process of its own. Its fakes are
// those of @sinonjs/fake-timers, which Vitest, Jest and Sinon use.

const root = resolve(import.meta.dirname, "../../..");
const folder = newFolder("timers");
symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));

const FAKES = `
const fakes = (name) => Object.assign(() => ({}), { clock: { ["_" + name]: globalThis[name] } });
const NAMES = ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate"];
const replaced = Object.fromEntries(NAMES.map((name) => [name, fakes(name)]));
`;

test.each([
  ["all timers", "Object.assign(globalThis, replaced);"],
  ["setImmediate alone", "globalThis.setImmediate = replaced.setImmediate;"],
  [
    "queueMicrotask and the clocks",
    "globalThis.queueMicrotask = () => {}; Date.now = () => 0; performance.now = () => 0;",
  ],
  [
    "node:timers too, as Sinon does",
    'Object.assign(process.getBuiltinModule("node:timers"), replaced); Object.assign(globalThis, replaced);',
  ],
])("a program that has faked %s can use the client", { timeout: 60_000 }, async (what, fake) => {
  // Node's own fetch needs queueMicrotask and node:timers.
  const entries = /queueMicrotask|node:timers/.test(what) ? ["index"] : ["index", "fetch"];
  const file = join(folder, "program.mjs");
  writeFileSync(
    file,
    `import { createServer } from "node:net";
const real = setTimeout;
${FAKES}
const server = createServer((socket) => socket.on("data", (data) => {
  if (!String(data).includes("silent"))
    socket.write('HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: 15\\r\\n\\r\\n{"result":"OK"}');
}).on("error", () => {}));
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const { port } = server.address();
${fake}
for (const entry of ${JSON.stringify(entries)}) {
  const { Redis } = await import(${JSON.stringify(join(root, "dist"))} + "/" + entry + ".js");
  const redis = new Redis({ url: "http://127.0.0.1:" + port, token: "t", retry: false });
  console.log(entry, await redis.set("k", "v"), await redis.with({ timeout: 100 }).set("k", "silent").catch((error) => error.name));
  redis.close();
}
process.exit();
`,
  );
  expect(await run("node", [file], folder)).toBe(
    entries.map((entry) => `${entry} OK TimeoutError\n`).join(""),
  );
});
