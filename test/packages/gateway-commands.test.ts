import { spawn } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { makeCertificate } from "warmline-testbed";
import { blocksIn } from "../repo/docs/pages.js";
import { commandsOf } from "../repo/docs/shell.js";
import { newFolder } from "../support/new-folder.js";

// Commands of the pages that start a gateway, run unchanged in a folder that has the files that they name. Their Redis is not
// there: the gateway starts anyway, and says so in its log.

const root = resolve(import.meta.dirname, "../..");
const home = newFolder("gateway-commands");
beforeAll(() => {
  const certificate = makeCertificate();
  copyFileSync(certificate.caFile, join(home, "server-ca.pem"));
  certificate.remove();
  writeFileSync(join(home, "redis"), "a-password");
});

const commands = new Set(
  blocksIn("sh")
    .flatMap(commandsOf)
    .map((command) => /^(?:npx )?warmline-gateway(?:-\S+\/bin\/warmline-gateway)?(?: (.*))?$/.exec(command))
    .filter((found) => found !== null)
    .map(([, args = ""]) => args)
    // A command after two dashes is run by the suites of new users.
    .filter((args) => !args.startsWith("-- ") && !args.includes(" -- ")),
);

test("the pages have commands that start a gateway", () => {
  expect(commands.size).toBeGreaterThan(5);
});

test.concurrent.each([...commands])("warmline-gateway %s starts", { timeout: 60_000 }, async (args) => {
  const cli = join(root, "gateway/dist/cli.js");
  // The shell reads quotes as the reader's does; exec makes the gateway the process that is ended.
  const here = args.replaceAll("/run/secrets/", `${home}/`);
  const gateway = spawn("sh", ["-c", `exec "${process.execPath}" "${cli}" ${here} --port 0`], {
    cwd: home,
    env: { ...process.env, HOME: home, XDG_STATE_HOME: home, WARMLINE_GATEWAY_REDIS: "" },
  });
  let printed = "";
  gateway.stdout.on("data", (text) => {
    printed += text;
    if (printed.includes("ready http://127.0.0.1:")) gateway.kill("SIGTERM");
  });
  gateway.stderr.on("data", (text) => {
    printed += text;
  });
  await new Promise((done) => gateway.on("close", done));
  expect(printed).toContain("ready http://127.0.0.1:");
});
