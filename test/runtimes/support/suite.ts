import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { createGateway } from "warmline-gateway";
import { RawEndpoint } from "../../support/endpoint.js";
import { sharedByTests } from "../../support/lifetime.js";

/** The folder with the installed runtimes and the packed client. */
export const folder = resolve(import.meta.dirname, "..");

/** A runtime's own program. */
export const binary = (name: string): string => join(folder, "node_modules", name);

/** The settings of the checks, as JSON. */
export interface Setup {
  readonly runtime: string;
  readonly url: string;
  readonly token: string;
  /** May read, and nothing else. */
  readonly readOnlyToken: string;
  /** Accepts requests and never responds. */
  readonly silentUrl: string;
  /** An address without a listener. */
  readonly refusedUrl: string;
  /** Whether the entry detects that a refused connection has carried nothing. */
  readonly reportsUnsent: boolean;
}

/** For each check null, or what went wrong. */
export type Report = Record<string, string | null>;

const namesOf = async (file: string, checks: string) =>
  Object.keys((await import(join(folder, `checks/${file}.js`)))[checks]);
const names = [...(await namesOf("checks", "checks")), ...(await namesOf("reads", "readOnlyChecks"))];
/** Those of runtimes with the entry for Node, which have `node:zlib` too. */
const zlibNames = await namesOf("zlib", "zlibChecks");

/**
 * The short suite on one runtime, a test for each check, against a separate gateway.
 * @param entry `"node"` for the entry with its own connections, `"fetch"` for the one on `fetch`.
 * @param run runs `checks/run.js` on the runtime, to its end.
 */
export function testRuntime(
  runtime: string,
  entry: "node" | "fetch",
  run: (setup: Setup) => Promise<Report>,
): void {
  describe(runtime, () => {
    const readOnlyToken = randomBytes(24).toString("base64url");
    const gateway = sharedByTests(() =>
      createGateway({
        port: 0,
        cors: ["*"],
        token: randomBytes(24).toString("base64url"),
        tokens: [{ name: "reader", token: readOnlyToken, role: "read-only" }],
      }),
    );
    const silent = sharedByTests(async () => Object.assign(await RawEndpoint.start(), { onRequest() {} }));
    let report: Report;
    beforeAll(async () => {
      report = await run({
        runtime,
        url: gateway.url,
        token: gateway.token,
        readOnlyToken,
        silentUrl: silent.url,
        // The system assigns this port to no other process.
        refusedUrl: "http://127.0.0.1:9",
        reportsUnsent: entry === "node",
      });
    }, 120_000);

    test.each(entry === "node" ? [...names, ...zlibNames] : names)("%s", (name) => {
      expect(report, "not run").toHaveProperty([name]);
      expect(report[name]).toBeNull();
    });
  });
}
