import { describe } from "vitest";
import { runPage } from "../support/chromium.js";
import { type Report, testRuntime } from "../support/suite.js";

// A web page from a different origin than the gateway, in a headless browser.

describe("a browser", { tags: "chromium" }, () => {
  testRuntime("Chromium", "fetch", (setup) => runPage<Report>("chromium/page.js", setup));
});
