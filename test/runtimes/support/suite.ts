import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGateway, type Gateway } from "warmline-gateway";
import { RawEndpoint } from "../../support/endpoint.js";

/** Where the runtimes are installed, and the packed client with them. */
export const folder = resolve(import.meta.dirname, "..");

/** A runtime's own program. */
export const binary = (name: string): string => join(folder, "node_modules", name);

/** What the checks are told, as JSON. */
export interface Setup {
  readonly runtime: string;
  readonly url: string;
  readonly token: string;
  /** Takes requests and never answers. */
  readonly silentUrl: string;
  /** Nobody listens there. */
  readonly nobodyUrl: string;
  /** Whether the entry knows that a refused connection has carried nothing. */
  readonly tellsUnsent: boolean;
}

/** For each check null, or what went wrong. */
export type Report = Record<string, string | null>;

const { checks } = (await import(join(folder, "checks/checks.js"))) as { checks: Record<string, unknown> };

/**
 * The short suite on one runtime, a test for each check, against a gateway of its own.
 * @param entry `"node"` for the entry on connections of its own, `"fetch"` for the one on `fetch`.
 * @param run runs `checks/run.js` on the runtime, to its end.
 */
export function testRuntime(
  runtime: string,
  entry: "node" | "fetch",
  run: (setup: Setup) => Promise<Report>,
): void {
  describe(runtime, () => {
    let gateway: Gateway;
    let silent: RawEndpoint;
    let report: Report;
    beforeAll(async () => {
      gateway = await createGateway({ port: 0, cors: ["*"] });
      silent = await RawEndpoint.start();
      silent.onRequest = () => {};
      report = await run({
        runtime,
        url: gateway.url,
        token: gateway.token,
        silentUrl: silent.url,
        // Where ports are given out, nobody gets this one.
        nobodyUrl: "http://127.0.0.1:9",
        tellsUnsent: entry === "node",
      });
    }, 120_000);
    afterAll(async () => {
      await silent?.stop();
      await gateway?.close();
    });

    test.each(Object.keys(checks))("%s", (name) => {
      expect(report, "not run").toHaveProperty([name]);
      expect(report[name]).toBeNull();
    });
  });
}
