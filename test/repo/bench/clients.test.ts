import { expect, test } from "vitest";
import type { BenchClient } from "../../../bench/src/client/bench-client.js";
import { clients, scenarios } from "../../../bench/src/registry.js";
import { type CommandLine, parse } from "../../../bench/src/runner/command-line.js";

const known = await clients();
const defined = await scenarios();
const all = defined.flatMap((each) => [each, ...(each.parts ?? [])]);

/** A client that was added as a file. */
const added = (own: Partial<BenchClient> = {}) =>
  ({ name: "added", label: "added", order: 5.5, standard: false, protocol: "http", ...own }) as BenchClient;

/** Returns the names of the clients that a scenario measures. */
function measured(name: string, client: BenchClient, ...args: string[]): readonly string[] {
  const command: CommandLine = parse([name, ...args, "--only"], defined, [...known, client]);
  if (command.action !== "run") throw new Error(`${name} is no scenario`);
  return command.clients.map((each) => each.name);
}

/** Scenarios that name clients: a new one is measured there only with `--clients`. */
const named = all.filter(({ clients: words = "standard" }) =>
  words.split(",").some((word) => known.some(({ name }) => name === word)),
);

test("few scenarios name their clients, so that new ones are left out", () => {
  const few = ["memory", "fin-wait", "reconnect", "storm", "time-wait", "near"];
  expect(named.map(({ name }) => name)).toEqual(few);
});

test("a new standard client is measured by default in every scenario that names none", () => {
  const client = added({ standard: true });
  const without = all.filter(({ name }) => !measured(name, client).includes("added"));
  const expected = [
    ...named.filter(({ clients: words }) => !words!.includes("standard")),
    ...all.filter(({ clients: words }) => words === "none"),
  ];
  expect(without.map(({ name }) => name).sort()).toEqual(expected.map(({ name }) => name).sort());
});

test("a new client is measured by default wherever all candidates are", () => {
  const by = (own: Partial<BenchClient>) =>
    all.filter(({ name }) => measured(name, added(own)).includes("added")).map(({ name }) => name);
  for (const name of ["faults", "zombie", "redis-memory", "idle", "distance", "cold", "sequential"])
    for (const protocol of ["http", "tcp"] as const) expect(by({ protocol })).toContain(name);
  expect(by({})).toEqual(expect.arrayContaining(["lambda", "request-parts"]));
  expect(by({ tunes: "agent" })).toEqual(["cold", "throughput"]);
  expect(by({ reference: true })).toEqual(["cold", "throughput"]);
});

test("every scenario takes every client that it can measure, and says why it cannot measure another", () => {
  for (const { name, protocol } of all.filter(({ clients: words }) => words !== "none")) {
    for (const client of [...known, added(), added({ protocol: "tcp" })]) {
      const run = () => measured(name, client, "--clients", client.name);
      if (protocol === undefined || client.protocol === protocol) expect(run()).toContain(client.name);
      else
        expect(run, name).toThrow(
          `--clients must name clients over HTTP for ${name}: it measures connections to the gateway, and ${client.name} connects to Redis.`,
        );
    }
  }
});

test("a scenario that measures servers takes no client", () => {
  expect(all.filter(({ clients: words }) => words === "none").map(({ name }) => name)).toEqual([
    "established",
    "fleet",
    "gateway",
    "outage",
  ]);
  expect(() => measured("gateway", added(), "--clients", "added")).toThrow(
    /^--clients cannot be used with gateway, only with .*keepalive/,
  );
});
