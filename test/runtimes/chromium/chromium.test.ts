import { describe, test } from "vitest";
import { browser, runPage } from "../support/chromium.js";
import { type Report, testRuntime } from "../support/suite.js";

// A web page of another origin than the gateway's, in a browser without a window.

if (browser) {
  testRuntime("Chromium", "fetch", (setup) => runPage<Report>("chromium/page.js", setup));
} else {
  describe.skip("Chromium", () => test("Chromium is not installed", () => {}));
}
