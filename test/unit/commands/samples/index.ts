import { everyGroup, namespaces } from "../../../../src/commands/index.js";
import bloomSpecs from "../../../../src/commands/modules/bloom.js";
import cuckooSpecs from "../../../../src/commands/modules/cuckoo.js";
import searchSpecs from "../../../../src/commands/modules/search.js";
import { countMinSpecs, tDigestSpecs, topKSpecs } from "../../../../src/commands/modules/sketches.js";
import timeSeriesSpecs from "../../../../src/commands/modules/time-series.js";
import type { CommandSpec } from "../../../../src/commands/spec.js";
import { arraySamples } from "./array.js";
import { bitmapSamples } from "./bitmap.js";
import { connectionSamples } from "./connection.js";
import { genericSamples } from "./generic.js";
import { geoSamples } from "./geo.js";
import { hashSamples } from "./hash.js";
import { hyperloglogSamples } from "./hyperloglog.js";
import { jsonSamples } from "./json.js";
import { listSamples } from "./list.js";
import {
  bloomSamples,
  countMinSamples,
  cuckooSamples,
  searchSamples,
  tDigestSamples,
  timeSeriesSamples,
  topKSamples,
} from "./modules.js";
import type { Sample } from "./sample.js";
import { functionSamples, scriptingSamples } from "./scripting.js";
import { pubsubSamples, serverSamples } from "./server.js";
import { setSamples } from "./set.js";
import { sortedSetSamples } from "./sorted-set.js";
import { streamSamples } from "./stream.js";
import { stringSamples } from "./string.js";
import { vectorSetSamples } from "./vector-set.js";

function inNamespace<T>(name: string, methods: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(methods).map(([method, item]) => [`${name}.${method}`, item]));
}

/** Samples of every method except the modules', by `method`, or `namespace.method` if it has a namespace. */
export const samples: Record<string, Sample[]> = {
  ...stringSamples,
  ...hashSamples,
  ...listSamples,
  ...setSamples,
  ...sortedSetSamples,
  ...genericSamples,
  ...connectionSamples,
  ...bitmapSamples,
  ...hyperloglogSamples,
  ...geoSamples,
  ...streamSamples,
  ...scriptingSamples,
  ...serverSamples,
  ...pubsubSamples,
  ...arraySamples,
  ...vectorSetSamples,
  ...inNamespace("json", jsonSamples),
  ...inNamespace("functions", functionSamples),
};

/** Samples of the modules' methods, by `module.method`. */
export const moduleSamples: Record<string, Sample[]> = {
  ...inNamespace("bf", bloomSamples),
  ...inNamespace("cf", cuckooSamples),
  ...inNamespace("cms", countMinSamples),
  ...inNamespace("topk", topKSamples),
  ...inNamespace("tdigest", tDigestSamples),
  ...inNamespace("ts", timeSeriesSamples),
  ...inNamespace("ft", searchSamples),
};

/** The specs of the modules' methods, by the same names. */
export const moduleSpecs: Record<string, CommandSpec> = {
  ...inNamespace("bf", bloomSpecs),
  ...inNamespace("cf", cuckooSpecs),
  ...inNamespace("cms", countMinSpecs),
  ...inNamespace("topk", topKSpecs),
  ...inNamespace("tdigest", tDigestSpecs),
  ...inNamespace("ts", timeSeriesSpecs),
  ...inNamespace("ft", searchSpecs),
};

/** The specs of all other methods, by the names of `samples`. */
export const allSpecs: Record<string, CommandSpec> = {
  ...Object.assign({}, ...everyGroup()),
  ...inNamespace("json", namespaces.json()),
  ...inNamespace("functions", namespaces.functions()),
};
