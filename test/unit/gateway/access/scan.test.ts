import { describe, expect, test } from "vitest";
import { Prefix } from "../../../../gateway/src/access/prefix.js";
import { scanWithin } from "../../../../gateway/src/access/scan.js";
import { command } from "../../../../gateway/src/resp/command.js";
import { arrayOf, bulkOf } from "../../../../gateway/src/resp/replies.js";

const prefix = new Prefix("é:");
const list = (...names: string[]) => arrayOf(names.map((name) => bulkOf(Buffer.from(name))));
const keys = (reply: Buffer) => scanWithin(command("KEYS", "*x"), prefix)!.reply(reply);
const page = (reply: Buffer) => scanWithin(command("SCAN", "0"), prefix)!.reply(reply);

describe("names in replies to a token with a prefix", () => {
  test("names beyond the prefix are left out, wherever they stand", () => {
    const names = ["é:a", "e:b", "é", "", "é:", "é:c", "x", "é:\r\n$1"];
    const covered = names.filter((name) => name.startsWith("é:"));
    for (let turn = 0; turn < names.length; turn++) {
      const turned = [...names.slice(turn), ...names.slice(0, turn)];
      const left = turned.filter((name) => covered.includes(name));
      expect(keys(list(...turned)).toString()).toBe(list(...left).toString());
    }
    expect(keys(list("a", "b")).toString()).toBe("*0\r\n");
    const many = Array.from({ length: 1_234 }, (_, i) => (i % 3 === 0 ? `é:${i}` : `other:${i}`));
    expect(keys(list(...many)).equals(list(...many.filter((name) => name.startsWith("é:"))))).toBe(true);
  });

  test("a reply that has only names of the prefix is passed on without a copy", () => {
    const reply = list(...Array.from({ length: 1_000 }, (_, i) => `é:${i}`));
    expect(keys(reply)).toBe(reply);
    expect(page(arrayOf([bulkOf(Buffer.from("7")), reply])).toString()).toBe(`*2\r\n$1\r\n7\r\n${reply}`);
  });

  test("errors are passed on, and replies of another form are refused", () => {
    expect(keys(Buffer.from("-ERR no\r\n")).toString()).toBe("-ERR no\r\n");
    for (const reply of ["+OK\r\n", "*2\r\n$4\r\né:a\r\n:1\r\n", "*1\r\n*1\r\n$4\r\né:a\r\n"])
      expect(keys(Buffer.from(reply)).toString()).toMatch(/^-ERR Redis sent a reply/);
  });
});
