import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { chromiumProgram } from "../../support/tags.js";

/** Starts a separate headless Chromium, with further flags. The caller closes it. */
export function launchBrowser(...flags: string[]): Promise<Browser> {
  const args = ["--no-sandbox", "--disable-dev-shm-usage", ...flags];
  return chromium.launch({ executablePath: chromiumProgram!, args });
}

/** Describes a suite in a headless Chromium. */
export function describeInBrowser(name: string, suite: (browser: () => Browser) => void): void {
  describe(name, { tags: "chromium" }, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(() => browser?.close());
    suite(() => browser!);
  });
}
