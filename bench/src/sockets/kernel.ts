import { existsSync, readFileSync } from "node:fs";

const FILES = ["/proc/net/tcp", "/proc/net/tcp6"];
const ESTABLISHED = "01";
const TIME_WAIT = "06";

/** Returns why sockets cannot be read here, as "needs ..."; undefined if they can. */
export const kernelMissing = (): string | undefined =>
  existsSync(FILES[0]!) ? undefined : "needs Linux: it reads sockets from /proc/net/tcp";

/** One socket as the kernel lists it. */
export interface KernelSocket {
  readonly localPort: number;
  readonly remotePort: number;
  readonly state: string;
}

/** How many sockets of some servers there are, by side and state. */
export interface Counts {
  readonly clientTimeWait: number;
  readonly clientEstablished: number;
  readonly serverTimeWait: number;
  readonly serverEstablished: number;
}

/** Reads the lines of `/proc/net/tcp`: addresses and ports are hexadecimal, the fourth word is the state. */
export function parseSockets(text: string): KernelSocket[] {
  return text
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((args) => args.length > 3)
    .map(([, local, remote, state]) => ({
      localPort: Number.parseInt(local!.split(":").at(-1)!, 16),
      remotePort: Number.parseInt(remote!.split(":").at(-1)!, 16),
      state: state!,
    }));
}

/** The kernel's sockets of this moment. */
export function kernelSockets(): KernelSocket[] {
  return FILES.filter((file) => existsSync(file)).flatMap((file) => parseSockets(readFileSync(file, "utf8")));
}

const identity = ({ localPort, remotePort }: KernelSocket): string => `${localPort}-${remotePort}`;

/** Counts the sockets of some servers, those that were there before it was made not included. */
export class SocketCounter {
  private readonly before: ReadonlySet<string>;

  constructor(
    /** The servers' ports; more may be added. */
    readonly ports: Set<number>,
    sockets: readonly KernelSocket[] = kernelSockets(),
  ) {
    this.before = new Set(sockets.map(identity));
  }

  count(sockets: readonly KernelSocket[] = kernelSockets()): Counts {
    const own = sockets.filter((socket) => !this.before.has(identity(socket)));
    const of = (side: "localPort" | "remotePort", state: string) =>
      own.filter((socket) => this.ports.has(socket[side]) && socket.state === state).length;
    return {
      clientTimeWait: of("remotePort", TIME_WAIT),
      clientEstablished: of("remotePort", ESTABLISHED),
      serverTimeWait: of("localPort", TIME_WAIT),
      serverEstablished: of("localPort", ESTABLISHED),
    };
  }
}
