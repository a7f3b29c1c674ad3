import { decide } from "../results/checks.js";
import { count, withInterval } from "../results/format.js";
import type { Check } from "../results/result.js";
import type { Estimate } from "../statistics/estimate.js";
import { combine, type Series } from "../statistics/series.js";
import { bundleSize } from "./cold.js";
import { boundOf, OWN_NUMBERS, type Target, type Value } from "./targets.js";

/** Limits of a bundle's size in bytes. */
const SIZES = [
  { name: "fetch entry, minified and gzipped", client: "warmline-fetch", of: "gzipped", limit: 25_000 },
  { name: "Node entry, minified", client: "warmline", of: "minified", limit: 190_000 },
] as const;
/** A ratio with two digits. */
const times = (value: number) => `${value.toFixed(2)}x`;

/** A line of the table. */
export interface Compared {
  readonly version: string;
  readonly name: string;
  readonly wanted: string;
  /** The peer, or the number of warmline's own, that the line compares with; "" if none. */
  readonly peer: string;
  /** Absent: the line has no limit. */
  readonly check?: Check;
  /** "warmline" or the peer, whichever has the better number, or "undecided"; "" without a peer. */
  readonly better: string;
  readonly shipped: string;
  /** "as shipped" for a peer without better known settings. */
  readonly best: string;
  readonly medians: string;
  /** The measurement as a share of the limit; above 1 the limit is missed. Absent without a limit. */
  readonly ofLimit?: number;
}

/** Returns the unit of a value, and the digits that a reader needs. */
function unitOf(value: Value): readonly [unit: string, digits: number] {
  if (value === "connections") return ["", 0];
  if (/Ms$|latencies|first/.test(value)) return ["ms", 3];
  return value.startsWith("heap") ? ["MB", 3] : ["us", 1];
}

/** Compares warmline with a peer as shipped and with its best known settings; the better one decides. Without a limit nothing is checked. */
function compareWithPeer(
  version: string,
  target: Target,
  own: Series,
  shipped: Series,
  tuned: Series | undefined,
): Compared {
  const { name, limit, peer, value } = target;
  const bound = boundOf(target);
  const isClient = !(peer in OWN_NUMBERS);
  const of = (other: Series) => combine([own, other], (a, b) => (bound === "at most" ? a / b : b / a));
  const [first, second] = [of(shipped), tuned && of(tuned)];
  const isWorse = (a: Estimate, b: Estimate) => (bound === "at most" ? a.value > b.value : a.value < b.value);
  const decisive = second && isWorse(second, first) ? second : first;
  const [unit, digits] = unitOf(value);
  const medians = [own, shipped, ...(tuned ? [tuned] : [])].map((series) =>
    series.estimate().value.toFixed(digits),
  );
  const text = (estimate: Estimate | undefined) => (estimate ? withInterval(estimate, times) : "");
  const verdict = decide(decisive, bound, 1);
  const line = {
    version,
    name,
    peer,
    better: isClient ? { yes: "warmline", no: peer, undecided: "undecided" }[verdict] : "",
    shipped: text(first),
    best: second === undefined && isClient ? "as shipped" : text(second),
    medians: `${medians.join(", ")} ${unit}`.trim(),
  };
  if (limit === undefined) return { ...line, wanted: `no limit, beside ${peer}` };
  const wanted = `${bound} ${times(limit)} ${peer}`;
  return {
    ...line,
    wanted,
    check: {
      expectation: `${name} (Node ${version.slice(1)}): ${wanted}`,
      verdict: decide(decisive, bound, limit),
      actual: `${text(first)} as shipped${second ? `, ${text(second)} at its best known settings` : ""}`,
    },
    ofLimit: bound === "at most" ? decisive.value / limit : limit / decisive.value,
  };
}

/** Returns the lines of the bundle sizes, the same under any Node. */
export const sizeLines = (): Compared[] =>
  SIZES.map(({ name, client, of, limit }) => {
    const bytes = bundleSize(client)[of];
    const wanted = `at most ${count(limit)} bytes`;
    const actual = `${count(bytes)} bytes`;
    const check: Check = {
      expectation: `${name}: ${wanted}`,
      verdict: bytes <= limit ? "yes" : "no",
      actual,
    };
    return {
      version: "",
      name,
      wanted,
      peer: "",
      better: "",
      check,
      shipped: actual,
      best: "",
      medians: "",
      ofLimit: bytes / limit,
    };
  });

/** A row of the scenario: the samples of one client's measurement under one Node. */
type TargetRow = Readonly<Record<Value, Series>> & {
  readonly version: string;
  readonly measure: string;
  readonly client: { readonly name: string };
};

/** Returns a line for each target whose measurements are there. */
export function linesOf(rows: readonly TargetRow[], targets: readonly Target[]): Compared[] {
  const versions = [...new Set(rows.map(({ version }) => version))];
  return versions.flatMap((version) => {
    const find = (measure: string, client: string) =>
      rows.find((row) => row.version === version && row.measure === measure && row.client.name === client);
    return targets.flatMap((target) => {
      const { measure, value, peer } = target;
      const other = OWN_NUMBERS[peer];
      const own = find(measure, "warmline")?.[value];
      const shipped = other ? find(other.measure, "warmline")?.[other.value] : find(measure, peer)?.[value];
      if (!own || !shipped) return [];
      return [compareWithPeer(version, target, own, shipped, find(measure, `${peer}-tuned`)?.[value])];
    });
  });
}
