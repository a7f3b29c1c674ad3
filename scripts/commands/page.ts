import type { CommandSpec } from "../../src/commands/spec.js";
import { facts, reasonLeftOut } from "./check.js";

/** What the page says of a method, beside its row. */
export interface Method {
  readonly name: string;
  readonly spec: CommandSpec;
  /** Where tests run it, or that they assert its words and the reading of its reply alone. */
  readonly exercised: string;
}

const HEAD = `# Commands

<!-- Generated from the rows in src/commands. To renew it: npx vitest run test/unit/commands/page.test.ts -u -->

Each command is a method of a client, of a pipeline and of a transaction. A command that reads is sent again by itself
when its answer is lost; one that writes never is. "By words" writes or reads as its options say.

"Exercised" says where the project's tests run the command and assert its whole reply: on the gateway's embedded
engine, on Redis 7.0, or on neither because neither has it. Then the tests assert the words that are sent and how
replies written by hand are read.
`;

/** The page that lists every command. */
export function commandsPage(groups: Readonly<Record<string, readonly Method[]>>): string {
  const sections = Object.entries(groups).map(([group, methods]) => {
    const lines = methods.map(
      ({ name, spec, exercised }) => `| ${spec.name} | \`${name}\` | ${readsOrWrites(spec)} | ${exercised} |`,
    );
    return [
      `## ${group[0]!.toUpperCase()}${group.slice(1)}`,
      "",
      "| Command | Method | | Exercised |",
      "| --- | --- | --- | --- |",
      ...lines,
    ].join("\n");
  });
  return `${[HEAD, ...sections, leftOutSection(groups)].join("\n\n").replace(/\n{3,}/g, "\n\n")}\n`;
}

function readsOrWrites({ write }: CommandSpec): string {
  return typeof write === "function" ? "by words" : write ? "writes" : "reads";
}

function leftOutSection(groups: Readonly<Record<string, readonly Method[]>>): string {
  const methods = Object.values(groups).flat();
  const byReason = new Map<string, string[]>();
  for (const name of Object.keys(facts)) {
    if (methods.some(({ spec }) => spec.name === name)) continue;
    const reason = reasonLeftOut(name) ?? "it belongs to a module; exec() sends it";
    byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  }
  return [
    "## Without a method",
    ...[...byReason].map(([reason, names]) => `Because ${reason}: ${names.join(", ")}.`),
  ].join("\n\n");
}
