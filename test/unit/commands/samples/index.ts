import { everyGroup, namespaces } from "../../../../src/commands/index.js";
import { bloomRows } from "../../../../src/commands/modules/bloom.js";
import { cuckooRows } from "../../../../src/commands/modules/cuckoo.js";
import { searchRows } from "../../../../src/commands/modules/search.js";
import { countMinRows, tDigestRows, topKRows } from "../../../../src/commands/modules/sketches.js";
import { timeSeriesRows } from "../../../../src/commands/modules/time-series.js";
import type { Row } from "../../../../src/commands/row.js";
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

/** Samples of every method, by the method's name, `namespace.method` where it has a namespace. */
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

/** Samples of the modules' methods, as `module.method`. */
export const moduleSamples: Record<string, Sample[]> = {
  ...inNamespace("bf", bloomSamples),
  ...inNamespace("cf", cuckooSamples),
  ...inNamespace("cms", countMinSamples),
  ...inNamespace("topk", topKSamples),
  ...inNamespace("tdigest", tDigestSamples),
  ...inNamespace("ts", timeSeriesSamples),
  ...inNamespace("ft", searchSamples),
};

/** The modules' rows, by the same names. */
export const moduleRows: Record<string, Row> = {
  ...inNamespace("bf", bloomRows),
  ...inNamespace("cf", cuckooRows),
  ...inNamespace("cms", countMinRows),
  ...inNamespace("topk", topKRows),
  ...inNamespace("tdigest", tDigestRows),
  ...inNamespace("ts", timeSeriesRows),
  ...inNamespace("ft", searchRows),
};

/** Every row, by the same names. */
export const allRows: Record<string, Row> = {
  ...Object.assign({}, ...everyGroup()),
  ...inNamespace("json", namespaces.json()),
  ...inNamespace("functions", namespaces.functions()),
};
