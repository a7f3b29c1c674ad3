import type { Metric, Registry } from "prom-client";
import type { Histogram } from "./histogram.js";

const PREFIX = "warmline_gateway_";

type Labels = Readonly<Record<string, string>>;
export type Sample = readonly [labels: Labels, value: number];

interface Value {
  readonly labels: Readonly<Record<string, string | number>>;
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
): void {
  add(registry, { name: PREFIX + name, help, type }, () => {
    const numbers = read();
    const samples: Iterable<Sample> = typeof numbers === "number" ? [[{}, numbers]] : numbers;
    return Array.from(samples, ([labels, value]) => ({ labels, value }));
  });
}

/** Adds a histogram, one for each set of labels. */
export function addHistograms(
  registry: Registry,
  name: string,
  help: string,
  read: () => Iterable<readonly [labels: Labels, histogram: Histogram]>,
): void {
  const full = PREFIX + name;
  add(registry, { name: full, help, type: "histogram" }, () =>
    Array.from(read()).flatMap(([labels, { bounds, counts, sum }]) => {
      let total = 0;
      const buckets = Array.from(counts, (count, at): Value => {
        total += count;
        const label = { le: bounds[at] ?? "+Inf", ...labels };
        return { labels: label, value: total, metricName: `${full}_bucket` };
      });
      return [...buckets, ...sumAndCount(full, labels, sum, total)];
    }),
  );
}

/** Adds a summary without quantiles: a sum and a count for each set of labels. */
export function addSums(
  registry: Registry,
  name: string,
  help: string,
  read: () => Iterable<readonly [labels: Labels, sum: number, count: number]>,
): void {
  const full = PREFIX + name;
  add(registry, { name: full, help, type: "summary" }, () =>
    Array.from(read()).flatMap(([labels, sum, count]) => sumAndCount(full, labels, sum, count)),
  );
}

function sumAndCount(name: string, labels: Labels, sum: number, count: number): Value[] {
  return [
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ];
}

/** Adds a metric that has only what a registry reads. The library's own ones find each observation by its labels. */
function add(registry: Registry, facts: object, values: () => Value[]): void {
  const metric = { ...facts, get: async () => ({ ...facts, values: values() }) };
  registry.registerMetric(metric as unknown as Metric);
}
