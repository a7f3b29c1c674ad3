import { Registry } from "prom-client";
import type { Connections } from "../http/connections.js";
import type { UpstreamCounters } from "../redis/counters.js";
import type { Upstream } from "../redis/upstream.js";
import type { BufferBudget } from "../util/buffer-budget.js";
import { addHistograms, addNumbers, addSums, type Sample } from "./family.js";
import type { Histogram } from "./histogram.js";
import type { LoopDelay } from "./loop-delay.js";
import type { TokenNumbers } from "./tokens.js";
import type { RouteNumbers, Traffic } from "./traffic.js";

/** The numbers of the event streams. */
export interface StreamNumbers {
  /** Streams open now. */
  readonly open: number;
  /** Streams closed since their readers were too slow. */
  readonly dropped: number;
  /** Connections to Redis for subscriptions and MONITOR. */
  readonly upstreamConnections: number;
}

/** The sources of the metrics. */
export interface MetricsSources {
  readonly traffic: Traffic;
  readonly connections: Connections;
  readonly budget: BufferBudget;
  readonly upstream: Upstream;
  /** The upstreams of every Redis user, including `upstream`. */
  readonly upstreams: Iterable<Upstream>;
  readonly streams: StreamNumbers;
  readonly loopDelay: LoopDelay;
}

/** Everything that the gateway counts, each under `warmline_gateway_`. */
export function createMetrics(sources: MetricsSources): Registry {
  const registry = new Registry();
  addTraffic(registry, sources.traffic);
  addCommands(registry, sources.traffic);
  addTokens(registry, sources.traffic);
  addConnections(registry, sources);
  addUpstream(registry, sources);
  addProcess(registry, sources.loopDelay);
  return registry;
}

function addTraffic(registry: Registry, traffic: Traffic): void {
  addNumbers(registry, "counter", "requests_total", "HTTP requests received.", () => traffic.requests);
  const responses = function* (): Iterable<Sample> {
    for (const [route, { responses }] of traffic.routes) {
      for (const [status, count] of responses) {
        yield [{ route, status: status === 0 ? "none" : String(status) }, count];
      }
    }
  };
  const help = "Finished requests, by route and status; none if the client disconnected before the response.";
  addNumbers(registry, "counter", "responses_total", help, responses);
  const byRoute = (name: string, help: string, read: (numbers: RouteNumbers) => Histogram) =>
    addHistograms(registry, name, help, () =>
      Array.from(traffic.routes, ([route, numbers]) => [{ route }, read(numbers)] as const),
    );
  byRoute(
    "request_duration_seconds",
    "Time from a request's head to its response.",
    ({ duration }) => duration,
  );
  byRoute(
    "upstream_duration_seconds",
    "Time from sending a request's commands to Redis to the last reply or failure, without blocking commands.",
    ({ upstream }) => upstream,
  );
  byRoute("request_size_bytes", "Bytes of request bodies.", ({ requestSize }) => requestSize);
  byRoute("response_size_bytes", "Bytes of response bodies.", ({ responseSize }) => responseSize);
}

function addCommands(registry: Registry, { commands }: Traffic): void {
  const all = () => Array.from(commands, (numbers) => ({ labels: { command: numbers.name }, ...numbers }));
  addNumbers(
    registry,
    "counter",
    "commands_total",
    "Commands received, by name; other for unknown names.",
    () => all().map(({ labels, received }): Sample => [labels, received]),
  );
  addNumbers(
    registry,
    "counter",
    "command_errors_total",
    "Commands refused, failed or with an error reply; of a transaction, those refused.",
    () => all().map(({ labels, errors }): Sample => [labels, errors]),
  );
  addSums(
    registry,
    "command_duration_seconds",
    "Time from sending a command to Redis to its reply, for single commands.",
    () => all().map(({ labels, seconds, timed }) => [labels, seconds, timed] as const),
  );
}

function addTokens(registry: Registry, { tokens }: Traffic): void {
  const counter = (name: string, help: string, read: (numbers: TokenNumbers) => number) =>
    addNumbers(registry, "counter", name, help, () =>
      Array.from(tokens, ([token, numbers]): Sample => [{ token }, read(numbers)]),
    );
  counter("token_requests_total", "Finished requests, by the token's name.", ({ requests }) => requests);
  counter(
    "token_errors_total",
    "Finished requests with a status of 400 or above, by the token's name.",
    ({ errors }) => errors,
  );
  counter("token_commands_total", "Commands received, by the token's name.", ({ commands }) => commands);
  counter(
    "token_request_bytes_total",
    "Bytes of request bodies, by the token's name.",
    ({ requestBytes }) => requestBytes,
  );
  counter(
    "token_response_bytes_total",
    "Bytes of response bodies, by the token's name.",
    ({ responseBytes }) => responseBytes,
  );
}

function addConnections(registry: Registry, { connections, streams, budget }: MetricsSources): void {
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
    "Client connections refused because of the limit.",
    () => connections.refusedTotal,
  );
  gauge("connections_open", "Client connections open now.", () => connections.open);
  gauge("connections", "Client connections open now, by state.", () => {
    const { open, idle, refused } = connections;
    const active = open - idle - streams.open;
    return Object.entries({ idle, active, stream: streams.open, refused }).map(
      ([state, value]): Sample => [{ state }, value],
    );
  });
  const limits = Object.entries({ soft: connections.softMaxConnections, max: connections.maxConnections });
  gauge(
    "connections_limit",
    "Limits of client connections: above soft idle ones are closed, above max new ones are refused.",
    () => limits.map(([limit, value]): Sample => [{ limit }, value]),
  );
  gauge("buffered_bytes", "Bytes of requests and replies that are buffered.", () => budget.used);
  gauge("buffered_bytes_limit", "Limit of buffered bytes of requests and replies.", () => budget.limit);
  gauge("streams_open", "Event streams open now.", () => streams.open);
  counter(
    "streams_dropped_total",
    "Event streams ended because their reader was too slow.",
    () => streams.dropped,
  );
}

function addUpstream(registry: Registry, { upstream, upstreams, streams }: MetricsSources): void {
  // Routes return a new sum each time.
  const counter = (name: string, help: string, read: (counters: UpstreamCounters) => number) =>
    addNumbers(registry, "counter", name, help, () => read(upstream.counters));
  addNumbers(registry, "gauge", "upstream_connections", "Connections to Redis open now.", () => {
    const uses = { shared: 0, blocking: 0, transaction: 0, stream: streams.upstreamConnections };
    for (const { connections } of upstreams) {
      uses.shared += connections.shared;
      uses.blocking += connections.blocking;
      uses.transaction += connections.transactions;
    }
    return Object.entries(uses).map(([use, value]): Sample => [{ use }, value]);
  });
  const pending = "Commands queued or in flight on shared connections.";
  addNumbers(registry, "gauge", "upstream_queued_commands", pending, () => {
    let sum = 0;
    for (const each of upstreams) sum += each.pending;
    return sum;
  });
  counter("upstream_connections_opened_total", "Connections to Redis established.", ({ opened }) => opened);
  counter("upstream_connections_lost_total", "Connections to Redis lost.", ({ lost }) => lost);
  counter("upstream_commands_total", "Commands written to Redis.", ({ commands }) => commands);
  counter(
    "topology_changes_total",
    "Changes of a cluster's slots or a Sentinel group's primary.",
    ({ topologyChanges }) => topologyChanges,
  );
  counter(
    "upstream_redirects_total",
    "Commands redirected by nodes of a cluster.",
    ({ redirected }) => redirected,
  );
  counter("upstream_retries_total", "Commands sent again.", ({ repeated }) => repeated);
  counter("upstream_ejections_total", "Ejections of failing nodes of a cluster.", ({ ejected }) => ejected);
  counter("upstream_timeouts_total", "Commands that timed out.", ({ timeouts }) => timeouts);
}

function addProcess(registry: Registry, { longest }: LoopDelay): void {
  addNumbers(registry, "counter", "process_cpu_seconds_total", "User and system CPU time in seconds.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  addNumbers(registry, "gauge", "process_resident_memory_bytes", "Resident memory in bytes.", () =>
    process.memoryUsage.rss(),
  );
  addHistograms(
    registry,
    "event_loop_delay_seconds",
    "The longest delay of the event loop in each second.",
    () => [[{}, longest]],
  );
}
