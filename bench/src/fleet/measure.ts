import { httpResponse, type NetworkProxy } from "warmline-testbed";
import { handlerPath } from "../client/bench-client.js";
import { gatewayTarget } from "../client/raw-connection.js";
import type { FleetEvent, handler } from "../handlers/fleet.js";
import type { Rig } from "../rig/rig.js";
import { type Body, runInstance } from "../rig/run-instance.js";
import { whileSampling } from "../util/promises.js";

const SAMPLE_MS = 250;

/** Runs a fleet against a gateway, through the rig's proxy. Returns its report, and the gateway's own counts. */
export async function measureFleet({ gateway, proxies }: Rig, fleet: Omit<FleetEvent, "target">) {
  const target = gatewayTarget({ port: proxies[0]!.port, token: gateway.token });
  const event: FleetEvent = { ...fleet, target };
  const what = { handler: handlerPath("fleet"), env: {} };
  // One request after another on one kept connection, so that reading the counts opens no other one and is never refused.
  const metric = async () => {
    const headers = { Authorization: `Bearer ${gateway.token}` };
    const metrics = await (await fetch(`${gateway.url}/metrics`, { headers })).text();
    return (name: string) => sumOf(metrics, `warmline_gateway_${name}`);
  };
  const samples: [atS: number, open: number][] = [];
  const begunAt = performance.now();
  const sample = async () => {
    // The connection that reads the metrics is one of those open.
    const open = (await metric())("connections_open") - 1;
    samples.push([(performance.now() - begunAt) / 1_000, open]);
  };
  const { bodies } = await whileSampling(SAMPLE_MS, sample, () =>
    runInstance("The fleet", what, { events: [event], timeoutMs: 300_000 }),
  );
  const last = await metric();
  const peakOpen = Math.max(...samples.map(([, open]) => open));
  const [evicted, upstream] = [last("connections_evicted_total"), last("upstream_connections")];
  return { ...(bodies[0] as Body<typeof handler>), samples, peakOpen, evicted, upstream };
}

/** The sum over a metric's labels in the Prometheus text format. @throws if there is no such metric */
export function sumOf(text: string, name: string): number {
  const values = text
    .split("\n")
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .map((line) => Number(line.slice(line.lastIndexOf(" ") + 1)));
  if (values.length === 0) throw new Error(`The gateway has no metric ${name}.`);
  return values.reduce((sum, value) => sum + value, 0);
}

/** Makes a proxy refuse connections above a limit, as a server with a hard limit and without eviction does. */
export function refuseAbove(proxy: NetworkProxy, limit: number): void {
  proxy.onConnection(() => {
    if (proxy.connections.length < limit) return undefined;
    return {
      exchange: () => ({
        request: (connection) => {
          connection.toClient(httpResponse(503, "", { Connection: "close" }));
          connection.close();
        },
      }),
    };
  });
}
