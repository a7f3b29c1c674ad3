import { connectionSamples } from "./connection.js";
import { genericSamples } from "./generic.js";
import { hashSamples } from "./hash.js";
import { listSamples } from "./list.js";
import type { Sample } from "./sample.js";
import { setSamples } from "./set.js";
import { sortedSetSamples } from "./sorted-set.js";
import { stringSamples } from "./string.js";

/** Samples of every method. */
export const samples: Record<string, Sample[]> = {
  ...stringSamples,
  ...hashSamples,
  ...listSamples,
  ...setSamples,
  ...sortedSetSamples,
  ...genericSamples,
  ...connectionSamples,
};
