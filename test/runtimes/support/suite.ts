import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { createGateway } from "warmline-gateway";
import { RawEndpoint } from "../../support/endpoint.js";
import { sharedByTests } from "../../support/lifetime.js";

/** The folder with the installed runtimes and the packed client. */
export const folder = resolve(import.meta.dirname, "..");

/** Returns the path of a runtime's executable. */
export const binary = (name: string): string => join(folder, "node_modules", name);

/** The settings of the checks, which are passed as JSON. */
export interface Setup {
  readonly runtime: string;
  readonly url: string;
  readonly token: string;
  /** A token that allows only reads. */
  readonly readOnlyToken: string;
  /** The address of a server that accepts requests and never responds. */
  readonly silentUrl: string;
  /** An address without a listener. */
  readonly refusedUrl: string;
  /** Whether the client can tell that a command was not sent if the connection was refused. */
  readonly reportsUnsent: boolean;
}

/** The result of each check: null, or the problem. */
export type Report = Record<string, string | null>;

const namesOf = async (file: string, checks: string) =>
  Object.keys((await import(join(folder, `checks/${file}.js`)))[checks]);
const names = [...(await namesOf("checks", "checks")), ...(await namesOf("reads", "readOnlyChecks"))];
/** Further checks for runtimes that use the entry for Node: these have `node:zlib`. */
const zlibNames = await namesOf("zlib", "zlibChecks");

/**
 * Defines a test for each check on one runtime, against a separate gateway.
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
