import { testProgram } from "../node/program.js";
import { binary } from "../support/suite.js";

// Only the permissions that it needs: the environment, and the loopback network.
testProgram("Deno", binary(".bin/deno"), ["run", "--no-prompt", "--allow-env", "--allow-net=127.0.0.1"]);
