import { asAdvised } from "../bench/src/client/bench-client.js";
import { count } from "../bench/src/results/present.js";
import { lostAfterFreeze } from "./results-picture.js";
import {
  better,
  casesOf,
  differences,
  figureOf,
  type Publications,
  type Published,
  runsOf,
} from "./results-publications.js";

const IOREDIS = "ioredis (TCP)";
const OVER_TCP = [IOREDIS, "node-redis (TCP)"];
const ROUND_TRIPS = [0, 1, 20];

/** Returns a row: where, what, the figures over HTTP and over TCP, their difference within runs, and which is better. */
function compared(
  where: string,
  measure: string,
  [http, tcp]: readonly Publications[],
  text: (value: number) => string,
): string[] {
  const apart = differences(http!, tcp!);
  return [where, measure, ...[http!, tcp!, apart].map((runs) => figureOf(runs, text)), better(apart)];
}

/** Returns a row of the calls lost after a freeze in an arm of zombie: warmline, and the best client over TCP with any of its settings. */
function lostRow(zombie: Published, arm: string, where: string): string[] {
  const lost = (label: string) => lostAfterFreeze(zombie, arm, label);
  const labels = [...OVER_TCP, ...OVER_TCP.map(asAdvised)];
  const best = labels.reduce((one, other) => (lost(other) < lost(one) ? other : one));
  const others = best === IOREDIS ? "" : ` with ${best}; ${lost(IOREDIS)} with ioredis as shipped`;
  const apart = lost("warmline") - lost(best);
  const verdict = better([[apart]]);
  return [where, "first calls lost", `${lost("warmline")}`, `${lost(best)}${others}`, `${apart}`, verdict];
}

/** Returns a sentence for a client whose number of lost calls was another one in the first publication, with other options. */
function formerlyLost(zombie: Published): string {
  const earlier = { ...zombie, data: casesOf(zombie)[0] };
  const changed = OVER_TCP.map(asAdvised).flatMap((label) => {
    const [before, after] = [earlier, zombie].map((result) => lostAfterFreeze(result, "middlebox", label));
    return before === after ? [] : [`${label} lost ${before} behind the middlebox`];
  });
  return changed.length === 0
    ? ""
    : ` In the first one, with other values for the options, ${changed.join("; ")}.`;
}

/** Returns the table that says which way suits which function. Both clients of a run have the same load, so runs are compared. */
export function advice(memory: Published, keepalive: Published, established: Published, zombie: Published) {
  const both = (runs: (label: string) => Publications) => ["warmline", IOREDIS].map(runs);
  const sizes = memory.settings.sizes as number[];
  const calls = (memoryMb: number, key: "first" | "start") =>
    both((label) => runsOf(memory, { label, memoryMb, reused: true }, key));
  const connections = [false, true].map((direct) =>
    runsOf(established, { part: "redis-memory", direct, users: 1_000 }, "connections"),
  );
  const held = compared(
    "1,000 instances, simulated by idle sockets",
    "connections at Redis",
    connections,
    count,
  );
  const rows = [
    ...sizes.map((size) =>
      compared(`memory ${count(size)} MB`, "init and first call, ms", calls(size, "start"), count),
    ),
    ...ROUND_TRIPS.map((rttMs) => {
      const wanted = { part: "distance", rttMs, keepAlive: true };
      const warm = both((label) => runsOf(keepalive, { ...wanted, label }, "warm"));
      return compared(`round trip ${rttMs} ms, TLS`, "a warm command, p50 ms", warm, (ms) => ms.toFixed(2));
    }),
    [...held.slice(0, -1), "a gateway or pool"],
    lostRow(zombie, "honest server", "frozen, and the server closes"),
    lostRow(zombie, "middlebox", "frozen, and a middlebox drops the flow"),
  ];
  const verdicts = sizes.map((size) => {
    const [http, tcp] = calls(size, "first");
    return better(differences(http!, tcp!));
  });
  const firstCalls = sizes.map((size, at) => `${verdicts[at]} at ${count(size)} MB`).join(", ");
  const inShort = new Set(verdicts).size === 1 ? `${verdicts[0]} at each size` : firstCalls;
  return {
    head: ["your function", "measured", "warmline over HTTP", "ioredis over TCP", "difference", "better"],
    rows,
    note: `The first call without the init phase: ${inShort}. Lost calls are those of the last publication.${formerlyLost(zombie)}`,
  };
}
