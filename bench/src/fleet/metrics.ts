import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";

/** The gateway's counts of its client connections at one moment. */
export interface GatewaySample {
  readonly atS: number;
  readonly open: number;
  readonly evicted: number;
  readonly refused: number;
  /** Connections to Redis. */
  readonly upstream: number;
  /** Its resident memory, in MB. */
  readonly memoryMb: number;
}

const NAMES = {
  open: "warmline_gateway_connections_open",
  evicted: "warmline_gateway_connections_evicted_total",
  refused: "warmline_gateway_connections_refused_total",
  upstream: "warmline_gateway_upstream_connections",
  memory: "warmline_gateway_process_resident_memory_bytes",
} as const;

/** Reads the gateway's metrics over one kept connection, so that asking costs none and is never refused. */
export class GatewayMetrics {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private readonly begunAt = performance.now();

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  async sample(): Promise<GatewaySample> {
    const metrics = await this.read();
    const atS = (performance.now() - this.begunAt) / 1_000;
    const of = (name: keyof typeof NAMES) => sumOf(metrics, NAMES[name]);
    return {
      atS,
      // The connection that asks is one of those open.
      open: of("open") - 1,
      evicted: of("evicted"),
      refused: of("refused"),
      upstream: of("upstream"),
      memoryMb: of("memory") / 1e6,
    };
  }

  close(): void {
    this.agent.destroy();
  }

  private read(): Promise<string> {
    const options = { agent: this.agent, headers: { Authorization: `Bearer ${this.token}` } };
    return new Promise((resolve, reject) => {
      request(`${this.url}/metrics`, options, (response) => resolve(text(response)))
        .on("error", reject)
        .end();
    });
  }
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
