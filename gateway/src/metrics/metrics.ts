import type { Registry } from "prom-client";
import type { Connections } from "../http/connections.js";
import type { UpstreamCounters } from "../redis/counters.js";
import type { Upstreams } from "../redis/upstream.js";
import type { BufferBudget } from "../util/buffer-budget.js";
import { Families, type Sample } from "./family.js";
import type { LoopDelay } from "./loop-delay.js";
import type { RouteNumbers, TokenNumbers, Traffic } from "./traffic.js";

export interface MetricsSources {
  readonly traffic: Traffic;
  readonly connections: Connections;
  readonly budget: BufferBudget;
  /** The upstreams of every Redis user. */
  readonly upstreams: Upstreams;
  /** Event streams: those open now, those ended because of slow readers, and their connections to Redis. */
  readonly streams: Readonly<Record<"open" | "dropped" | "upstreamConnections", number>>;
  readonly loopDelay: LoopDelay;
}

/** Everything that the gateway counts, each under `warmline_gateway_`. */
export function createMetrics(sources: MetricsSources): Registry {
  const families = new Families();
  addTraffic(families, sources.traffic);
  addCommands(families, sources.traffic);
  addTokens(families, sources.traffic);
  addConnections(families, sources);
  addUpstream(families, sources);
  addProcess(families, sources.loopDelay);
  return families.registry;
}

function addTraffic(families: Families, traffic: Traffic): void {
  families.counter("requests_total", "HTTP requests received.", () => traffic.requests);
  const responses = function* (): Iterable<Sample> {
    for (const [route, { responses }] of traffic.routes) {
      for (const [status, count] of responses) {
        yield [{ route, status: status === 0 ? "none" : String(status) }, count];
      }
    }
  };
  families.counter(
    "responses_total",
    "Finished requests, by route and status; none if the client disconnected before the response.",
    responses,
  );
  const invalid =
    "Requests that are not valid HTTP, by reason; those without a valid head count in no other metric.";
  families.counter("malformed_requests_total", invalid, () =>
    Array.from(traffic.malformed, ([reason, count]): Sample => [{ reason }, count]),
  );
  const byRoute = (name: string, help: string, key: Exclude<keyof RouteNumbers, "responses">) =>
    families.histogram(name, help, () =>
      Array.from(traffic.routes, ([route, numbers]) => [{ route }, numbers[key]] as const),
    );
  byRoute("request_duration_seconds", "Time from a request's head to its response.", "duration");
  byRoute(
    "upstream_duration_seconds",
    "Time from sending a request's commands to Redis to the last reply or failure, without blocking commands.",
    "upstream",
  );
  byRoute("request_size_bytes", "Bytes of request bodies.", "requestSize");
  byRoute("response_size_bytes", "Bytes of response bodies.", "responseSize");
}

function addCommands(families: Families, { commands }: Traffic): void {
  const counter = (name: string, help: string, key: "received" | "errors") =>
    families.counter(name, help, () =>
      Array.from(commands, (numbers): Sample => [{ command: numbers.name }, numbers[key]]),
    );
  counter("commands_total", "Commands received, by name; other for unknown names.", "received");
  counter(
    "command_errors_total",
    "Commands refused, failed or with an error reply; of a transaction, those refused.",
    "errors",
  );
  families.sums(
    "command_duration_seconds",
    "Time from sending a command to Redis to its reply, for single commands.",
    () => Array.from(commands, ({ name, seconds, timed }) => [{ command: name }, seconds, timed] as const),
  );
}

function addTokens(families: Families, { tokens }: Traffic): void {
  const counter = (name: string, help: string, key: keyof TokenNumbers) =>
    families.counter(name, `${help}, by the token's name.`, () =>
      Array.from(tokens, ([token, numbers]): Sample => [{ token }, numbers[key]]),
    );
  counter("token_requests_total", "Finished requests", "requests");
  counter("token_errors_total", "Finished requests with a status of 400 or above", "errors");
  counter("token_commands_total", "Commands received", "commands");
  counter("token_request_bytes_total", "Bytes of request bodies", "requestBytes");
  counter("token_response_bytes_total", "Bytes of response bodies", "responseBytes");
}

function addConnections(families: Families, { connections, streams, budget }: MetricsSources): void {
  const counter = (name: string, help: string, key: "opened" | "evicted" | "refusedTotal") =>
    families.counter(name, help, () => connections[key]);
  counter("connections_opened_total", "Client connections accepted.", "opened");
  counter("connections_evicted_total", "Idle client connections closed to make room.", "evicted");
  counter("connections_refused_total", "Client connections refused because of the limit.", "refusedTotal");
  families.gauge("connections_open", "Client connections open now.", () => connections.open);
  families.gauge("connections", "Client connections open now, by state.", () => {
    const { open, idle, refused } = connections;
    return samplesOf("state", { idle, active: open - idle - streams.open, stream: streams.open, refused });
  });
  families.gauge(
    "connections_limit",
    "Limits of client connections: above soft idle ones are closed, above max new ones are refused.",
    () => samplesOf("limit", { soft: connections.limits.soft, max: connections.limits.hard }),
  );
  families.gauge("buffered_bytes", "Bytes of requests and replies that are buffered.", () => budget.used);
  families.gauge(
    "buffered_bytes_limit",
    "Limit of buffered bytes of requests and replies.",
    () => budget.limit,
  );
  families.gauge("streams_open", "Event streams open now.", () => streams.open);
  const dropped = "Event streams ended because their reader was too slow.";
  families.counter("streams_dropped_total", dropped, () => streams.dropped);
}

function addUpstream(families: Families, { upstreams, streams }: MetricsSources): void {
  const counter = (name: string, help: string, key: keyof UpstreamCounters) =>
    families.counter(name, help, () => upstreams.counters[key]);
  families.gauge("upstream_connections", "Connections to Redis open now.", () => {
    const uses = { shared: 0, blocking: 0, transaction: 0, stream: streams.upstreamConnections };
    for (const { connections } of upstreams) {
      uses.shared += connections.shared;
      uses.blocking += connections.blocking;
      uses.transaction += connections.transactions;
    }
    return samplesOf("use", uses);
  });
  const pending = "Commands queued or in flight on shared connections.";
  families.gauge("upstream_queued_commands", pending, () =>
    [...upstreams].reduce((sum, each) => sum + each.pending, 0),
  );
  counter("upstream_connections_opened_total", "Connections to Redis established.", "opened");
  counter("upstream_connections_lost_total", "Connections to Redis lost.", "lost");
  counter("upstream_commands_total", "Commands written to Redis.", "commands");
  counter(
    "topology_changes_total",
    "Changes of a cluster's slots or a Sentinel group's primary.",
    "topologyChanges",
  );
  counter("upstream_redirects_total", "Commands redirected by nodes of a cluster.", "redirected");
  counter("upstream_retries_total", "Commands sent again.", "repeated");
  counter("upstream_ejections_total", "Ejections of failing nodes of a cluster.", "ejected");
  counter("upstream_timeouts_total", "Commands that timed out.", "timeouts");
}

/** Returns a sample for each value, whose key is the value of a label. */
function samplesOf(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([name, value]) => [{ [label]: name }, value]);
}

function addProcess(families: Families, loopDelay: LoopDelay): void {
  families.counter("process_cpu_seconds_total", "User and system CPU time in seconds.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  families.gauge("process_resident_memory_bytes", "Resident memory in bytes.", () =>
    process.memoryUsage.rss(),
  );
  families.histogram(
    "event_loop_delay_seconds",
    "The longest delay of the event loop in each second.",
    () => [[{}, loopDelay.longest]],
  );
  const help = "The longest delay of the event loop in the last minute.";
  families.gauge("event_loop_delay_max_seconds", help, () => loopDelay.longestOfMinute);
}
