import { type Attributes, metrics } from "@opentelemetry/api";
import type { ConnectionEvent, Messages } from "../transport/node/events.js";
import { toServer } from "../util/server-address.js";
import { SCOPE } from "./operations.js";

type Handlers = { [Name in keyof Messages as `warmline:${Name}`]: (event: Messages[Name]) => void };

/**
 * Creates the metrics of connections, retries and freezes.
 * @returns the handlers of events, by the names of their channels.
 */
export function createConnectionMetrics(): Handlers {
  const meter = metrics.getMeter(SCOPE);
  const times = (name: string, description: string) =>
    meter.createHistogram(name, { description, unit: "s" });
  const counts = (name: string, description: string, of: string) =>
    meter.createCounter(name, { description, unit: `{${of}}` });
  const createTime = times(
    "db.client.connection.create_time",
    "The time it took to create a new connection.",
  );
  const open = meter.createGauge("warmline.connection.open", {
    description: "Connections that are established",
    unit: "{connection}",
  });
  const idleTime = times(
    "warmline.connection.idle_time",
    "Time for which a connection was idle before it was used again",
  );
  const closes = counts(
    "warmline.connection.closes",
    "Connections that were closed or could not be opened",
    "connection",
  );
  const retries = counts("warmline.retries", "Requests that were sent again", "request");
  const circuits = counts(
    "warmline.circuit_opens",
    "Times that calls began to fail at once, since the endpoint did not respond",
    "circuit",
  );
  const frozenTime = times(
    "warmline.frozen_time",
    "Time for which the process was frozen while connections were idle",
  );
  return {
    "warmline:connection:opened"(event) {
      open.record(event.open, serverAttributes(event));
      createTime.record(event.ms / 1_000, { "db.client.connection.pool.name": poolName(event) });
    },
    "warmline:connection:reused": (event) => idleTime.record(event.idleMs / 1_000, serverAttributes(event)),
    "warmline:connection:closed"(event) {
      open.record(event.open, serverAttributes(event));
      closes.add(1, { ...serverAttributes(event), "warmline.reason": event.reason });
    },
    "warmline:retry"(event) {
      const { command, outcome } = event;
      const call = { "db.operation.name": command, "warmline.outcome": outcome };
      retries.add(1, { ...serverAttributes(event), ...call });
    },
    "warmline:circuit"(event) {
      if (event.state === "open") circuits.add(1, serverAttributes(event));
    },
    "warmline:thaw": (event) => frozenTime.record(event.frozenMs / 1_000, serverAttributes(event)),
  };
}

/** The attributes of an origin. */
function serverAttributes({ origin }: ConnectionEvent): Attributes {
  const { host, port } = toServer(new URL(origin));
  return { "db.system.name": "redis", "server.address": host, "server.port": port };
}

/** The name of the pool of an origin: its host and port. */
function poolName(event: ConnectionEvent): string {
  const { "server.address": address, "server.port": port } = serverAttributes(event);
  return `${address}:${port}`;
}
