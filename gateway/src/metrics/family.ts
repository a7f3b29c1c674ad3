import type { Registry } from "prom-client";
import type { Histogram } from "./histogram.js";

const PREFIX = "warmline_gateway_";

/** Labels by their names. */
export type Labels = Readonly<Record<string, string>>;
/** One number of a family. */
export type Sample = readonly [labels: Labels, value: number];

interface Value {
  readonly labels: Record<string, string | number>;
  readonly value: number;
  readonly metricName?: string;
}

/** What the number of several processes is: the sum of theirs, or the greatest. */
type Aggregator = "sum" | "max";

/** Adds a counter or a gauge. Its values are read at each collection. */
export function addNumbers(
  registry: Registry,
  type: "counter" | "gauge",
  name: string,
  help: string,
  read: () => number | Iterable<Sample>,
  aggregator: Aggregator = "sum",
): void {
  const values = () => {
    const numbers = read();
    const samples: Iterable<Sample> = typeof numbers === "number" ? [[{}, numbers]] : numbers;
    return Array.from(samples, ([labels, value]) => ({ labels: { ...labels }, value }));
  };
  add(registry, type, name, help, values, aggregator);
}

/** Adds a histogram, one for each set of labels. */
export function addHistograms(
  registry: Registry,
  name: string,
  help: string,
  read: () => Iterable<readonly [labels: Labels, histogram: Histogram]>,
): void {
  add(registry, "histogram", name, help, () =>
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
  add(registry, "summary", name, help, () =>
    Array.from(read()).flatMap(([labels, sum, count]) => [
      { labels: { ...labels }, value: sum, metricName: `${PREFIX}${name}_sum` },
      { labels: { ...labels }, value: count, metricName: `${PREFIX}${name}_count` },
    ]),
  );
}

/** prom-client's own metrics find each observation by its labels. These keep their values where they are counted. */
function add(
  registry: Registry,
  type: string,
  name: string,
  help: string,
  values: () => Value[],
  aggregator: Aggregator = "sum",
): void {
  const full = PREFIX + name;
  const metric = {
    name: full,
    get: async () => ({ name: full, help, type, values: values(), aggregator }),
    reset: () => {},
  };
  registry.registerMetric(metric as never);
}

function valuesOf(name: string, labels: Labels, { bounds, counts, sum }: Histogram): Value[] {
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
