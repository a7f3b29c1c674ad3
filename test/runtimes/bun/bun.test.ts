import { testProgram } from "../node/program.js";
import { binary } from "../support/suite.js";

testProgram("Bun", binary(".bin/bun"), ["run"]);
