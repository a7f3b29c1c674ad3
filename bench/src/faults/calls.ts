import type { ConnectedClient, Endpoint } from "../client/bench-client.js";

/** One command of a trial. Each has a key of its own, so that what was applied can be counted by call. */
export interface Call {
  readonly command: "get" | "hgetall" | "incr" | "set";
  readonly key: string;
  readonly value?: string;
  /** The value that another client stores afterwards; it must be there at the end. */
  readonly overwrittenWith?: string;
}

/** The result of a call, as the function saw it. */
export interface CallResult {
  readonly value?: unknown;
  readonly failed: boolean;
  readonly ms: number;
}

/** The event of a function. The calls of a turn are issued together; turns run one after another. */
export interface TurnsEvent extends Endpoint {
  readonly turns: readonly (readonly Call[])[];
}

type TrialClient = Pick<ConnectedClient, Call["command"]>;

/** Returns a handler that issues calls and returns their results. `connect` is called once for each address. */
export function createHandler(connect: (event: TurnsEvent) => TrialClient) {
  const connected = new Map<string, TrialClient>();
  return async (event: TurnsEvent): Promise<CallResult[]> => {
    const address = `${event.url} ${event.tcp?.port}`;
    if (!connected.has(address)) connected.set(address, connect(event));
    const client = connected.get(address)!;
    const settled: CallResult[] = [];
    for (const calls of event.turns)
      settled.push(...(await Promise.all(calls.map((call) => settle(client, call)))));
    return settled;
  };
}

async function settle(client: TrialClient, { command, key, value }: Call): Promise<CallResult> {
  const begunAt = performance.now();
  const ms = () => performance.now() - begunAt;
  try {
    const given = command === "set" ? await client.set(key, value!) : await client[command](key);
    return { value: given, failed: false, ms: ms() };
  } catch {
    return { failed: true, ms: ms() };
  }
}
