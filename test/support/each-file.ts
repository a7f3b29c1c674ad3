import fc from "fast-check";
import { vi } from "vitest";
import { SEED } from "./random-tests.js";

// Runs before each file.

// Every property draws its inputs from the seed of the run, so that a run can be repeated.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });

// Vitest ends what a test has stubbed before the next test begins. What the last test of the file before stubbed would be seen
// by this file's modules as they are imported.
vi.unstubAllEnvs();
vi.unstubAllGlobals();
