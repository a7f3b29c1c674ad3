/** Places a value between two ends. */
export type Scale = (value: number) => number;

/** Even steps from `from` to `to`. */
export function linear(from: number, to: number, begin: number, end: number): Scale {
  return (value) => begin + ((value - from) / (to - from)) * (end - begin);
}

/** Even factors from `from` to `to`, both above zero. */
export function logarithmic(from: number, to: number, begin: number, end: number): Scale {
  const place = linear(Math.log(from), Math.log(to), begin, end);
  return (value) => place(Math.log(Math.max(value, from)));
}

/** The places where a percentile axis is marked. */
export const PERCENTILES = [0, 50, 90, 99, 99.9];

/** A percentile axis: each step divides what lies beyond by ten, so that the slow end has room. */
export function percentiles(highest: number, begin: number, end: number): Scale {
  const depth = (percent: number) => -Math.log10(1 - percent / 100);
  return (percent) => linear(0, depth(highest), begin, end)(depth(percent));
}

/** Round values (1, 2, 5 and their tenfold), two at least, from below the lowest to above the highest. */
export function roundSteps(lowest: number, highest: number): number[] {
  const steps: number[] = [];
  for (let power = Math.floor(Math.log10(lowest)) - 1; 10 ** power <= highest * 10; power++) {
    for (const digit of [1, 2, 5]) steps.push(Number((digit * 10 ** power).toPrecision(1)));
  }
  const first = steps.findLastIndex((step) => step <= lowest);
  const last = steps.findIndex((step) => step >= highest && step > steps[first]!);
  return steps.slice(first, last + 1);
}

/** Multiples of a round step (1, 2, 5 and their tenfold), about `count` steps, from `from` to at least `to`. */
export function evenSteps(from: number, to: number, count: number): number[] {
  const rough = (to - from) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((each) => each >= rough * (1 - 1e-9))!;
  const steps = Math.ceil((to - from) / step - 1e-9);
  return Array.from({ length: steps + 1 }, (_, index) => Number((from + index * step).toPrecision(12)));
}

/** A value with as many digits as a reader needs. */
export function short(value: number): string {
  if (value >= 100 || Number.isInteger(value)) return String(Math.round(value));
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
