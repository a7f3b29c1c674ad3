import { httpResponse, type NetworkProxy, startInstance } from "warmline-testbed";
import { handlerPath } from "../client/bench-client.js";
import type { FleetEvent, FleetReport } from "../handlers/fleet.js";
import type { Rig } from "../rig/rig.js";
import { GREETING } from "../rig/run-instance.js";
import { whileSampling } from "../util/sampling.js";
import { GatewayMetrics, type GatewaySample } from "./metrics.js";

const SAMPLE_MS = 250;

/** Returns the gateway's flags for its limits. */
export const limitFlags = (soft: number, hard: number): string[] => [
  `--soft-max-connections=${soft}`,
  `--max-connections=${hard}`,
];

/** Runs a fleet against a gateway, through the rig's proxy, and samples the gateway's metrics meanwhile. */
export async function measureFleet(
  rig: Rig,
  fleet: Omit<FleetEvent, "target">,
  onSample: (sample: GatewaySample) => void,
) {
  const { gateway, proxy, command } = rig;
  await command("SET", "greeting", GREETING);
  const auth = { protocol: "http", token: gateway.token } as const;
  const event: FleetEvent = { ...fleet, target: { port: proxy.port, tls: false, auth } };
  const instance = await startInstance({ handler: handlerPath("fleet"), env: {}, timeoutMs: 300_000 });
  try {
    return await sampleGateway(rig, onSample, async () => {
      const { result, error } = await instance.invoke(event);
      if (error) throw new Error(`The fleet failed: ${error.errorMessage}\n${instance.output}`);
      return (result as { body: FleetReport }).body;
    });
  } finally {
    await instance.stop();
  }
}

/** Samples the gateway's metrics while `run` goes on, and adds them, their last ones and the peak of connections to its result. */
export async function sampleGateway(
  { gateway }: Rig,
  onSample: (sample: GatewaySample) => void,
  run: () => Promise<FleetReport>,
) {
  const metrics = new GatewayMetrics(gateway.url, gateway.token);
  const samples: GatewaySample[] = [];
  const takeSample = async () => {
    const sample = await metrics.sample();
    samples.push(sample);
    onSample(sample);
  };
  try {
    const report = await whileSampling(SAMPLE_MS, takeSample, run);
    const { evicted, refused, upstream } = await metrics.sample();
    const peakOpen = Math.max(...samples.map(({ open }) => open));
    return { ...report, samples, peakOpen, evicted, refused, upstream };
  } finally {
    metrics.close();
  }
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
