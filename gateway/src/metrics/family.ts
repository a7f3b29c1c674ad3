import { Counter, Gauge, Histogram, type Registry, Summary } from "prom-client";
import type { Histogram as OwnHistogram } from "./histogram.js";

const PREFIX = "warmline_gateway_";

export type Labels = Readonly<Record<string, string>>;
export type Sample = readonly [labels: Labels, value: number];

interface Value {
  readonly labels: Record<string, string | number>;
  readonly value: number;
  readonly metricName?: string;
}

/** Adds a counter or a gauge. Its values are read at each collection. */
export function addNumbers(
  registry: Registry,
  type: "counter" | "gauge",
  name: string,
  help: string,
  read: () => number | Iterable<Sample>,
  /** What the number of several processes is: the sum of theirs, or the greatest. */
  aggregator: "sum" | "max" = "sum",
): void {
  const Type = type === "counter" ? Counter : Gauge;
  const facts = { name: PREFIX + name, help, aggregator };
  readAtCollection(new Type({ ...facts, registers: [registry] }), { ...facts, type }, () => {
    const numbers = read();
    const samples: Iterable<Sample> = typeof numbers === "number" ? [[{}, numbers]] : numbers;
    return Array.from(samples, ([labels, value]) => ({ labels: { ...labels }, value }));
  });
}

/** Adds a histogram, one for each set of labels. */
export function addHistograms(
  registry: Registry,
  name: string,
  help: string,
  read: () => Iterable<readonly [labels: Labels, histogram: OwnHistogram]>,
): void {
  const facts = { name: PREFIX + name, help, aggregator: "sum" } as const;
  readAtCollection(new Histogram({ ...facts, registers: [registry] }), { ...facts, type: "histogram" }, () =>
    Array.from(read()).flatMap(([labels, each]) => valuesOf(name, labels, each)),
  );
}

/** Adds a summary without quantiles: a sum and a count for each set of labels. */
export function addSums(
  registry: Registry,
  name: string,
  help: string,
  read: () => Iterable<readonly [labels: Labels, sum: number, count: number]>,
): void {
  const facts = { name: PREFIX + name, help, aggregator: "sum" } as const;
  readAtCollection(new Summary({ ...facts, registers: [registry] }), { ...facts, type: "summary" }, () =>
    Array.from(read()).flatMap(([labels, sum, count]) => [
      { labels: { ...labels }, value: sum, metricName: `${PREFIX}${name}_sum` },
      { labels: { ...labels }, value: count, metricName: `${PREFIX}${name}_count` },
    ]),
  );
}

/** The library's metrics find each observation by its labels. The values of these stay where they are counted. */
function readAtCollection(metric: object, facts: object, values: () => Value[]): void {
  const get = async () => ({ ...facts, values: values() });
  // For text, the registry asks histograms and summaries by the second name, which the library's types do not have.
  Object.assign(metric, { get, getForPromString: get });
}

function valuesOf(name: string, labels: Labels, { bounds, counts, sum }: OwnHistogram): Value[] {
  const full = PREFIX + name;
  let total = 0;
  const buckets = Array.from(counts, (count, at) => {
    total += count;
    return { labels: { le: bounds[at] ?? "+Inf", ...labels }, value: total, metricName: `${full}_bucket` };
  });
  return [
    ...buckets,
    { labels: { ...labels }, value: sum, metricName: `${full}_sum` },
    { labels: { ...labels }, value: total, metricName: `${full}_count` },
  ];
}
