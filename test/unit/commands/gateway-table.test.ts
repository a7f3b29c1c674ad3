import { resolve } from "node:path";
import { expect, test } from "vitest";
import { allCommandInfo } from "../../../gateway/src/commands/command-info.js";
import { getKeyIndexes } from "../../../gateway/src/commands/keys.js";
import { command } from "../../../gateway/src/resp/command.js";
import { CommandWriter } from "../../../gateway/src/resp/command-writer.js";
import { facts } from "../../../scripts/commands/check.js";
import { gatewayTable } from "../../../scripts/commands/gateway-table.js";

test("the gateway's command table is generated from the facts", async () => {
  const file = resolve(import.meta.dirname, "../../../gateway/src/commands/table.ts");
  await expect(gatewayTable()).toMatchFileSnapshot(file);
});

test("the command table has every command of the facts", () => {
  expect([...allCommandInfo()].map(({ name }) => name)).toEqual(Object.keys(facts));
});

test("every key notation of the table is parsed", () => {
  for (const fact of allCommandInfo()) {
    const args = [...fact.name.split(" "), "1", "a", "b", "c", "d", "e", "f", "g"];
    const size = fact.arity > 0 ? fact.arity : args.length;
    expect(() => getKeyIndexes(command(...args.slice(0, size)))).not.toThrow();
  }
});

test("the keys of a command are found however many they are", () => {
  const writer = new CommandWriter();
  writer.begin();
  for (const word of ["ZUNIONSTORE", "to", "200000"]) writer.text(word);
  for (let key = 0; key < 200_000; key++) writer.text(`key${key}`);
  expect(getKeyIndexes(writer.end())).toHaveLength(200_001);
});
