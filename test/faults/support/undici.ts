import { Agent } from "undici";
import { vi } from "vitest";
import type { RedisOptions, Requester } from "warmline";

// With WARMLINE_CONNECTION=undici every client of the Node entry sends its requests over a dispatcher of undici.
vi.mock("warmline", async (importOriginal) => {
  const original = await importOriginal<typeof import("warmline")>();
  const { undici } = await import("warmline/undici");

  /** An agent that can be closed and goes on with new connections, as a client of Node's entry. */
  class RenewedAgent {
    private agent: Agent;
    readonly transport = undici(this);

    constructor(private readonly options: Agent.Options) {
      this.agent = new Agent(options);
    }

    dispatch(options: Agent.DispatchOptions, handler: Parameters<Agent["dispatch"]>[1]): boolean {
      return this.agent.dispatch(options, handler);
    }

    renew(): void {
      void this.agent.close().catch(() => {});
      this.agent = new Agent(this.options);
    }
  }

  const agents = new Map<string, RenewedAgent>();
  /** The options of the client's own connections, as options of an agent. */
  const agentFor = ({ maxConnections, keepAlive = true }: RedisOptions) => {
    const key = `${maxConnections} ${keepAlive}`;
    const agent =
      agents.get(key) ??
      new RenewedAgent({ connections: maxConnections ?? null, pipelining: keepAlive ? 1 : 0 });
    agents.set(key, agent);
    return agent;
  };

  class Redis extends original.Redis {
    constructor(options: RedisOptions | Requester = {}) {
      const agent = "request" in options ? undefined : agentFor(options);
      const { maxConnections, keepAlive, preconnect, circuit, ...others } = options as RedisOptions;
      super(agent ? { transport: agent.transport, ...others } : (options as RedisOptions));
      if (agent) Object.defineProperty(this, "close", { value: () => agent.renew() });
    }
  }
  return { ...original, Redis };
});
