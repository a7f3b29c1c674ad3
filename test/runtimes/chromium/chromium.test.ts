import { describe } from "vitest";
import { runPage } from "../support/chromium.js";
import { type Report, testRuntime } from "../support/suite.js";

// A web page of another origin than the gateway's, in a browser without a window.

describe("a browser", { tags: "chromium" }, () => {
  testRuntime("Chromium", "fetch", (setup) => runPage<Report>("chromium/page.js", setup));
});
