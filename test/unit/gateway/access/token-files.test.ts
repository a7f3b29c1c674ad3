import { rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { TokenFiles } from "../../../../gateway/src/access/token-files.js";
import { readTokenList } from "../../../../gateway/src/access/token-list.js";
import { newFolder } from "../../../support/new-folder.js";

const folder = newFolder("token-files");
const tokensFile = join(folder, "tokens.yaml");
const secret = join(folder, "secret");

let files: TokenFiles;
beforeEach(async () => {
  writeFileSync(tokensFile, "[{ name: a, token: aaa }]");
  rmSync(secret, { force: true });
  files = new TokenFiles({ tokensFile }, readTokenList({ tokensFile }));
  expect([await names(), await names()]).toEqual([null, null]);
});

const names = async () => (await files.check())?.tokens.map(({ name }) => name) ?? null;

test("a file that is being written is read when it is complete", async () => {
  writeFileSync(tokensFile, "- { name: a, token: aaa }\n");
  expect(await names()).toBeNull();
  writeFileSync(tokensFile, "- { name: a, token: aaa }\n- { name: b, token: bbb }\n");
  expect(await names()).toBeNull();
  expect(await names()).toEqual(["a", "b"]);
  expect(await names()).toBeNull();
});

test("a file that names one that is not there yet is read again until it is there", async () => {
  writeFileSync(tokensFile, `[{ name: b, tokenFile: ${JSON.stringify(secret)} }]`);
  expect(await names()).toBeNull();
  await expect(names()).rejects.toThrow(/secret: there is no such file/);
  expect([await names(), await names()]).toEqual([null, null]);
  writeFileSync(secret, "bbb");
  expect(await names()).toEqual(["b"]);
  // From now on this file is checked as well.
  expect([await names(), await names()]).toEqual([null, null]);
  writeFileSync(secret, "changed");
  expect([await names(), await names()]).toEqual([null, ["b"]]);
});

test("a file that was removed changes nothing, and is read when it is back", async () => {
  unlinkSync(tokensFile);
  expect(await names()).toBeNull();
  await expect(names()).rejects.toThrow(/there is no such file/);
  expect(await names()).toBeNull();
  writeFileSync(tokensFile, "[{ name: back, token: aaa }]");
  expect([await names(), await names()]).toEqual([null, ["back"]]);
});
