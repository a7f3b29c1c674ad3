import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readTokenList } from "../../../../gateway/src/access/token-list.js";
import { checkTokens } from "../../../../gateway/src/access/tokens.js";
import { resolveSettings } from "../../../../gateway/src/settings/options.js";
import { newFolder } from "../../../support/new-folder.js";

const sha = "ab".repeat(32);

describe("a list of tokens", () => {
  test.each<[unknown, RegExp]>([
    [{}, /^tokens: must be a list/],
    [["x"], /^tokens\[0\]: must have a name/],
    [[{ token: "hush" }], /^tokens\[0\]: needs a name/],
    [[{ name: "a" }], /^tokens\[0\]: needs exactly one of token, tokenFile and tokenSha256/],
    [[{ name: "a", token: "hush", tokenSha256: sha }], /^tokens\[0\]: needs exactly one of/],
    [[{ name: "a", token: "hush hush" }], /^tokens\[0\]\.token: must be visible ASCII/],
    [[{ name: "a", tokenSha256: "hush" }], /^tokens\[0\]\.tokenSha256: must be 64 hexadecimal/],
    [
      [{ name: "a", token: "hush", role: "readonly" }],
      /^tokens\[0\]\.role: must be one of admin, standard, read-only, metrics/,
    ],
    [[{ name: "a", token: "hush", prefix: "" }], /^tokens\[0\]\.prefix: must be a non-empty string/],
    [[{ name: "a", token: "hush", prefx: "a" }], /^tokens\[0\]\.prefx: .*did you mean "prefix"\?/],
    [[{ name: "a", token: "hush", user: "x" }], /^tokens\[0\]\.user: must have/],
    [[{ name: "a", token: "hush", user: { username: "x" } }], /^tokens\[0\]\.user: needs a password/],
    [
      [{ name: "a", token: "hush", user: { username: "x", pass: "hush" } }],
      /^tokens\[0\]\.user: has an unknown field; known fields: username, password, passwordFile/,
    ],
    [[{ name: "a", "token:hush": null }], /^tokens\[0\]: has an unknown field; known fields: name, /],
    [[{ name: "a", token: "hush", limits: 7 }], /^tokens\[0\]\.limits: must have commandsPerSecond, /],
    [
      [{ name: "a", token: "hush", limits: { commandPerSecond: 7 } }],
      /^tokens\[0\]\.limits\.commandPerSecond: unknown field; did you mean "commandsPerSecond"\?/,
    ],
    [
      [{ name: "a", token: "hush", limits: { commandsPerSecond: 0 } }],
      /^tokens\[0\]\.limits\.commandsPerSecond: must be a whole number of at least 1$/,
    ],
    [
      [{ name: "a", token: "hush", limits: { concurrentRequests: "7" } }],
      /^tokens\[0\]\.limits\.concurrentRequests: must be a whole number of at least 1$/,
    ],
    [
      [{ name: "a", token: "hush", limits: { bytesPerSecond: "7 elephants" } }],
      /^tokens\[0\]\.limits\.bytesPerSecond: must be a size per second of at least 1 byte, such as 500kb/,
    ],
    [
      [{ name: "a", token: "hush", commands: ["GTE"] }],
      /^tokens\[0\]\.commands\[0\]: there is no such command; did you mean GET\?/,
    ],
    [
      [
        { name: "a", token: "x" },
        { name: "a", token: "hush" },
      ],
      /^tokens\[1\]\.name: another token/,
    ],
  ])("the token list %j is refused, without repeating a secret", (value, message) => {
    expect(() => checkTokens(value)).toThrow(message);
    expect(() => checkTokens(value)).not.toThrow(/hush/);
    expect(() => resolveSettings({ tokens: value as never })).toThrow(message);
  });

  test("a token list has defaults", () => {
    const { main, tokens } = readTokenList({
      tokens: [
        { name: "a", token: "x" },
        {
          name: "b",
          tokenSha256: sha,
          user: { username: "u", password: "p" },
          commands: ["xinfo|stream", "get"],
        },
      ],
    });
    expect(main).toBe("");
    expect(tokens.map(({ role }) => role)).toEqual(["standard", "admin"]);
    expect(tokens[1]!.digest.toString("hex")).toBe(sha);
    expect(tokens[1]!.commands).toEqual(new Set(["XINFO STREAM", "GET"]));
  });

  test("tokens of all sources have different names", () => {
    const tokensFile = join(newFolder("tokens"), "tokens.json");
    writeFileSync(tokensFile, JSON.stringify([{ name: "a", token: "x" }]));
    const tokens = [{ name: "a", token: "y" }];
    expect(() => readTokenList({ tokens, tokensFile })).toThrow(/^tokens: another token has the name 'a'$/);
    const main = [{ name: "main", token: "y" }];
    expect(() => readTokenList({ token: "x", tokens: main })).toThrow(/another token has the name 'main'$/);
    expect(() => readTokenList({ tokens: main })).not.toThrow();
  });

  test("a token list contains no token twice", () => {
    const tokens = [
      { name: "a", token: "x" },
      { name: "b", token: "x" },
    ];
    expect(() => readTokenList({ tokens })).toThrow(/^tokens: 'a' and 'b' are the same token$/);
    expect(() => readTokenList({ token: "x", tokens: [tokens[0]!] })).toThrow(/'main' and 'a' are the same/);
    const folder = newFolder("tokens");
    const tokensFile = join(folder, "tokens.json");
    writeFileSync(tokensFile, JSON.stringify(tokens));
    expect(() => readTokenList({ tokensFile })).toThrow(`tokensFile: ${tokensFile}: 'a' and 'b' are`);
  });

  test("a token list lets the gateway listen beyond loopback", () => {
    expect(resolveSettings({ host: "0.0.0.0", tokens: [{ name: "a", token: "x" }] }).host).toBe("0.0.0.0");
    expect(() => resolveSettings({ token: "a", tokenFile: "b" })).toThrow(/^token, tokenFile: /);
  });
});
