import { spawnSync } from "node:child_process";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";

const program = [process.env.CHROMIUM ?? "", "chromium", "chromium-browser", "google-chrome"]
  .filter((name) => name !== "")
  .map((name) => spawnSync("which", [name], { encoding: "utf8" }).stdout.trim())
  .find((path) => path !== "");

if (!program && process.env.REQUIRE_RUNTIMES === "1") {
  throw new Error("REQUIRE_RUNTIMES=1, but there is no Chromium.");
}

/** Starts a separate headless Chromium, with further flags. The caller closes it. */
export function launchBrowser(...flags: string[]): Promise<Browser> {
  const args = ["--no-sandbox", "--disable-dev-shm-usage", ...flags];
  return chromium.launch({ executablePath: program!, args });
}

/** A suite in a headless Chromium; skipped, and named so, where none is installed. */
export function describeInBrowser(name: string, suite: (browser: () => Browser) => void): void {
  describe.skipIf(!program)(program ? name : `${name} (no Chromium is installed)`, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(() => browser?.close());
    suite(() => browser!);
  });
}
