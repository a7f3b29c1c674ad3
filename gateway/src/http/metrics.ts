import type { Upstream } from "../upstream/upstream.js";
import type { Connections } from "./connections.js";
import type { Streams } from "./streams.js";

/** What the gateway counts, written out in the Prometheus text format. */
export class Metrics {
  /** Requests whose head arrived. */
  requests = 0;

  constructor(
    readonly connections: Connections,
    readonly upstream: Upstream,
    readonly streams: Streams,
  ) {}

  /** Everything counted, as Prometheus reads it. */
  text(): string {
    const { connections, upstream, streams } = this;
    const { shared, blocking, transactions } = upstream.connections;
    const { counters } = upstream;
    return [
      counter("connections_opened_total", "Client connections accepted.", connections.opened),
      gauge("connections_open", "Client connections open now.", [["", connections.open]]),
      counter("requests_total", "HTTP requests received.", this.requests),
      gauge("streams_open", "Event streams open now.", [["", streams.open]]),
      counter("streams_cut_total", "Event streams ended because their reader was too slow.", streams.cut),
      gauge("upstream_connections", "Connections to Redis open now.", [
        ['{use="shared"}', shared],
        ['{use="blocking"}', blocking],
        ['{use="transaction"}', transactions],
        ['{use="stream"}', streams.upstreamConnections],
      ]),
      gauge("upstream_pending", "Commands waiting or unanswered on shared connections.", [
        ["", upstream.pending],
      ]),
      counter("upstream_connections_opened_total", "Connections to Redis that came up.", counters.opened),
      counter("upstream_connections_lost_total", "Connections to Redis that ended unasked.", counters.lost),
      counter("upstream_commands_total", "Commands written to Redis.", counters.commands),
      counter("upstream_timeouts_total", "Commands without a reply in time.", counters.timeouts),
    ].join("");
  }
}

function counter(name: string, help: string, value: number): string {
  return family(name, "counter", help, [["", value]]);
}

function gauge(name: string, help: string, values: readonly (readonly [string, number])[]): string {
  return family(name, "gauge", help, values);
}

function family(
  name: string,
  type: string,
  help: string,
  values: readonly (readonly [labels: string, value: number])[],
): string {
  const full = `warmline_gateway_${name}`;
  const lines = values.map(([labels, value]) => `${full}${labels} ${value}\n`);
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join("")}`;
}
