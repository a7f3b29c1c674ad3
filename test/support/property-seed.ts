import fc from "fast-check";

// Every property draws its inputs from this seed instead of a separate one, so that a run can be repeated.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.FUZZ_SEED) });
