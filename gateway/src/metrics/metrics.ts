import { Registry } from "prom-client";
import type { Connections } from "../http/connections.js";
import type { Streams } from "../http/streams.js";
import type { Upstream } from "../upstream/upstream.js";
import { addHistograms, addNumbers, type Sample } from "./family.js";
import type { Traffic } from "./traffic.js";

/** Where the numbers come from. */
export interface MetricsSources {
  readonly traffic: Traffic;
  readonly connections: Connections;
  readonly upstream: Upstream;
  /** Of every Redis user, that one among them. */
  readonly upstreams: Iterable<Upstream>;
  readonly streams: Streams;
}

/** Everything that the gateway counts, each under `warmline_gateway_`. */
export function metricsOf(sources: MetricsSources): Registry {
  const registry = new Registry();
  addTraffic(registry, sources.traffic);
  addConnections(registry, sources);
  addUpstream(registry, sources);
  addProcess(registry);
  return registry;
}

function addTraffic(registry: Registry, traffic: Traffic): void {
  addNumbers(registry, "counter", "requests_total", "HTTP requests received.", () => traffic.requests);
  const answers = function* (): Iterable<Sample> {
    for (const [route, { answers }] of traffic.routes) {
      for (const [status, count] of answers) {
        yield [{ route, status: status === 0 ? "none" : String(status) }, count];
      }
    }
  };
  const help = "Requests that are over, by route and status; none where the client went first.";
  addNumbers(registry, "counter", "responses_total", help, answers);
  addHistograms(registry, "request_duration_seconds", "From a request's head to its answer.", () =>
    Array.from(traffic.routes, ([route, { duration }]) => [{ route }, duration] as const),
  );
  addHistograms(
    registry,
    "upstream_duration_seconds",
    "From a command to its reply, on shared connections.",
    () => [[{}, traffic.upstream]],
  );
}

function addConnections(registry: Registry, { connections, streams }: MetricsSources): void {
  const counter = (name: string, help: string, read: () => number) =>
    addNumbers(registry, "counter", name, help, read);
  const gauge = (name: string, help: string, read: () => number | Iterable<Sample>) =>
    addNumbers(registry, "gauge", name, help, read);
  counter("connections_opened_total", "Client connections accepted.", () => connections.opened);
  counter(
    "connections_evicted_total",
    "Idle client connections closed to make room.",
    () => connections.evicted,
  );
  counter(
    "connections_refused_total",
    "Client connections for which there was no room.",
    () => connections.refusals,
  );
  gauge("connections_open", "Client connections open now.", () => connections.open);
  gauge("connections", "Client connections open now, by what they are doing.", () => {
    const { open, idle, refused } = connections;
    const active = open - idle - streams.open;
    return Object.entries({ idle, active, stream: streams.open, refused }).map(
      ([state, value]): Sample => [{ state }, value],
    );
  });
  const limits = Object.entries({ soft: connections.softLimit, hard: connections.hardLimit });
  gauge(
    "connections_limit",
    "Client connections from which idle ones are closed, and new ones refused.",
    () => limits.map(([limit, value]): Sample => [{ limit }, value]),
  );
  gauge("streams_open", "Event streams open now.", () => streams.open);
  counter(
    "streams_dropped_total",
    "Event streams ended because their reader was too slow.",
    () => streams.cut,
  );
}

function addUpstream(registry: Registry, { upstream, upstreams, streams }: MetricsSources): void {
  const { counters } = upstream;
  const counter = (name: string, help: string, read: () => number) =>
    addNumbers(registry, "counter", name, help, read);
  addNumbers(registry, "gauge", "upstream_connections", "Connections to Redis open now.", () => {
    const uses = { shared: 0, blocking: 0, transaction: 0, stream: streams.upstreamConnections };
    for (const { connections } of upstreams) {
      uses.shared += connections.shared;
      uses.blocking += connections.blocking;
      uses.transaction += connections.transactions;
    }
    return Object.entries(uses).map(([use, value]): Sample => [{ use }, value]);
  });
  const pending = "Commands waiting or unanswered on shared connections.";
  addNumbers(registry, "gauge", "upstream_pending", pending, () => {
    let sum = 0;
    for (const each of upstreams) sum += each.pending;
    return sum;
  });
  counter("upstream_connections_opened_total", "Connections to Redis that came up.", () => counters.opened);
  counter("upstream_connections_lost_total", "Connections to Redis that ended unasked.", () => counters.lost);
  counter("upstream_commands_total", "Commands written to Redis.", () => counters.commands);
  counter(
    "topology_changes_total",
    "Times that a cluster's slots, or a group's primary, were found to have moved.",
    () => counters.topologyChanges,
  );
  counter(
    "upstream_redirected_total",
    "Times that a cluster's node sent a command elsewhere.",
    () => counters.redirected,
  );
  counter("upstream_repeated_total", "Times that a command was sent again.", () => counters.repeated);
  counter(
    "upstream_ejected_total",
    "Times that a failing node of a cluster was passed over.",
    () => counters.ejected,
  );
  counter("upstream_timeouts_total", "Commands without a reply in time.", () => counters.timeouts);
}

function addProcess(registry: Registry): void {
  addNumbers(registry, "counter", "process_cpu_seconds_total", "Processor time spent.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  addNumbers(registry, "gauge", "process_resident_memory_bytes", "Memory in use.", () =>
    process.memoryUsage.rss(),
  );
}
