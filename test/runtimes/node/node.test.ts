import { binary } from "../support/suite.js";
import { testProgram } from "./program.js";

// The oldest that is supported, and each line after it.
for (const version of [20, 22, 24, 26]) {
  testProgram(`Node ${version}`, binary(`node${version}/bin/node`), []);
}
