import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./pages.js";

// docs/troubleshooting.md finds a section by the text that is seen: one of ours, or another program's.

/** Texts of Node, undici, platforms, browsers, web servers and Redis, and values. */
const FOREIGN = [
  '"[object Object]"',
  "undefined",
  ...["EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EPIPE", "EPROTO", "ETIMEDOUT"],
  ...["UND_ERR_BODY_TIMEOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_SOCKET"],
  ...["ERR_SSL_WRONG_VERSION_NUMBER", "DEPTH_ZERO_SELF_SIGNED_CERT", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ...["socket hang up", "other side closed", "fetch failed", "Failed to fetch", "blocked by CORS policy"],
  ...["wrong version number", "self-signed certificate", "unable to verify the first certificate"],
  ...["Runtime.NodeJsExit", "Task timed out", "FUNCTION_INVOCATION_TIMEOUT"],
  ...["plain HTTP request was sent to HTTPS port", "max number of clients reached", "too many connections"],
  "NOAUTH",
  "Unauthorized",
];

test("each text by which docs/troubleshooting.md finds a section is a message of ours, or foreign", () => {
  const page = readFileSync(join(root, "docs/troubleshooting.md"), "utf8");
  const sources = ["src", "gateway/src"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => readFileSync(join(root, folder, file), "utf8")),
  );
  const code = sources.join("\n").replaceAll(/\$\{missing\}/g, "url and token");
  const rows = page.split("\n").filter((line) => /^\| .*\]\(#/.test(line));
  const texts = rows.flatMap((row) =>
    [...row.split(" | ")[0]!.matchAll(/`([^`]+)`/g)].map(([, text]) => text!),
  );
  expect(texts.length).toBeGreaterThan(30);
  expect(texts.filter((text) => !FOREIGN.includes(text) && !code.includes(text))).toEqual([]);
});
