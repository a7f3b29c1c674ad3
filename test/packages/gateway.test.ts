import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { newFolder } from "../support/new-folder.js";

// The packed gateway, installed into an empty project on a machine without Redis.

const folder = newFolder("packed");
const installed = join(folder, "node_modules", "warmline-gateway");
/** The only folder on PATH, so that a Redis on this machine is not found. */
const programs = join(folder, "programs");
const environment = { PATH: programs, HOME: folder };

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, {
    cwd: folder,
    encoding: "utf8",
    stdio: "pipe",
    env: { ...process.env, HOME: folder },
  });
}

beforeAll(() => {
  mkdirSync(programs);
  symlinkSync(process.execPath, join(programs, "node"));
  symlinkSync("/bin/sh", join(programs, "sh"));
  writeFileSync(join(folder, "package.json"), '{"name":"empty","private":true}');
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", inject("tarballs")["warmline-gateway"]]);
});

describe("warmline-gateway, installed from its tarball", () => {
  test("the package has no dependencies, and contains the licences of bundled code", () => {
    const names = readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."));
    expect(names).toEqual(["warmline-gateway"]);
    const terms = readFileSync(join(installed, "dist", "THIRD-PARTY-LICENSES.txt"), "utf8");
    for (const part of ["js-redis-server", "lua-redis-wasm", "cluster-key-slot", "yaml"])
      expect(terms).toContain(part);
  });

  test("`npx warmline-gateway -- command` uses the embedded engine without a Redis on PATH", () => {
    const program = `fetch(process.env.WARMLINE_URL + "/set/k/v", { headers: { authorization: "Bearer " + process.env.WARMLINE_TOKEN } })
      .then((response) => response.text()).then(console.log)`;
    const npx = run("sh", ["-c", "command -v npx"]).trim();
    const ran = spawnSync("node", [npx, "--offline", "warmline-gateway", "--", "node", "-e", program], {
      cwd: folder,
      encoding: "utf8",
      env: { ...environment, WARMLINE_GATEWAY_PORT: "0" },
    });
    expect(ran.stdout).toBe('{"result":"OK"}\n');
    expect(ran.stderr).toContain("\nengine: embedded (");
    expect(ran.status).toBe(0);
  });
});
