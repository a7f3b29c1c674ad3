import fc from "fast-check";
import { SEED } from "./random-tests.js";

// Every property draws its inputs from the seed of the run, so that a run can be repeated.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
