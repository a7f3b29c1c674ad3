import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { startGateway } from "warmline-gateway/testing";
import { sharedByTests } from "../../support/lifetime.js";
import { blocksIn } from "./pages.js";
import { commandsOf, problemOf } from "./shell.js";

// Every command that a page shows for a terminal.

const blocks = blocksIn("sh");

test.each(blocks.map((block) => [`${block.page}:${block.line}`, block] as const))(
  "%s names programs, scripts, packages and flags that exist",
  (_, block) => {
    const commands = commandsOf(block);
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) expect(problemOf(command), command).toBeNull();
  },
);

describe("curl, as the pages call it", () => {
  const commands = blocks
    .flatMap((block) => commandsOf(block).map((command) => ({ at: `${block.page}:${block.line}`, command })))
    .filter(({ command }) => /^curl .*http:\/\/(127\.0\.0\.1|localhost):8079/.test(command));
  const gateway = sharedByTests(() => startGateway());

  test.skipIf(commands.length === 0).each(commands)("$at: $command prints as shown", async ({ command }) => {
    const here = command.replace(/http:\/\/(127\.0\.0\.1|localhost):8079/, gateway.url);
    const ran = await promisify(execFile)("sh", ["-c", `${here} --fail --silent --max-time 5`], {
      env: { ...process.env, ...gateway.env, TOKEN: gateway.token },
    });
    expect(ran.stdout).not.toBe("");
  });
});
