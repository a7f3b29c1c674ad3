import { type Metric, Registry } from "prom-client";
import type { Histogram } from "./histogram.js";

const PREFIX = "warmline_gateway_";

type Labels = Readonly<Record<string, string>>;
export type Sample = readonly [labels: Labels, value: number];
/** Returns one value, or one for each set of labels. */
type ReadNumbers = () => number | Iterable<Sample>;

interface Value {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

/** Metrics whose values are read at each collection. Each name begins with {@link PREFIX}. */
export class Families {
  readonly registry = new Registry();

  counter(name: string, help: string, read: ReadNumbers): void {
    this.#add(name, help, "counter", () => valuesOf(read()));
  }

  gauge(name: string, help: string, read: ReadNumbers): void {
    this.#add(name, help, "gauge", () => valuesOf(read()));
  }

  /** Adds a histogram, one for each set of labels. */
  histogram(
    name: string,
    help: string,
    read: () => Iterable<readonly [labels: Labels, histogram: Histogram]>,
  ): void {
    this.#add(name, help, "histogram", (full) =>
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
  sums(
    name: string,
    help: string,
    read: () => Iterable<readonly [labels: Labels, sum: number, count: number]>,
  ): void {
    this.#add(name, help, "summary", (full) =>
      Array.from(read()).flatMap(([labels, sum, count]) => sumAndCount(full, labels, sum, count)),
    );
  }

  /** Adds a metric with only the members that a registry reads. The library's own metrics look up each observation by its labels. */
  #add(name: string, help: string, type: string, read: (full: string) => Value[]): void {
    const facts = { name: PREFIX + name, help, type };
    const metric = { ...facts, get: async () => ({ ...facts, values: read(facts.name) }) };
    this.registry.registerMetric(metric as unknown as Metric);
  }
}

function valuesOf(numbers: ReturnType<ReadNumbers>): Value[] {
  const samples: Iterable<Sample> = typeof numbers === "number" ? [[{}, numbers]] : numbers;
  return Array.from(samples, ([labels, value]) => ({ labels, value }));
}

function sumAndCount(name: string, labels: Labels, sum: number, count: number): Value[] {
  return [
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ];
}
