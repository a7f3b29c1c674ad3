import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { endOnExit } from "../children.js";
import { Tail } from "../tail.js";

/** Options of {@link startGatewayProcess}. */
export interface GatewayProcessOptions {
  /** Command-line flags. Without `--port` the gateway listens on a free port. */
  readonly args?: readonly string[];
  /** Environment variables, in addition to the ones of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Path of the command-line program. Default: the installed package `warmline-gateway`. */
  readonly cli?: string;
}

/** A gateway that runs as a separate process. */
export interface GatewayProcess {
  readonly pid: number;
  /** Its URL, for example `http://127.0.0.1:40123`. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Its output, at most the last 64 KB. */
  readonly output: string;
  /** Returns the gateway's count of opened client connections, without those of this object. */
  connectionsOpened(): Promise<number>;
  /** Returns a number of `/metrics` by the metric's name. @throws if there is no such metric */
  metric(name: string): Promise<number>;
  /** Returns the response of `/health`. */
  health(): Promise<{ status: string; engine: string }>;
  /** Sends SIGTERM, then SIGKILL after 5 s; resolves with the exit code. */
  stop(): Promise<number | null>;
}

const READY_TIMEOUT_MS = 30_000;

// Ends the gateway when this process ends, even by SIGKILL: the IPC channel between them closes then.
const LEASH = "data:text/javascript,process.on('disconnect',()=>process.exit(1));process.channel.unref()";

/**
 * Starts `warmline-gateway` and waits for its ready line.
 * @throws if it exits or is not ready in time; the message ends with what it printed
 */
export async function startGatewayProcess(options: GatewayProcessOptions = {}): Promise<GatewayProcess> {
  const args = [...(options.args ?? [])];
  if (!args.some((arg) => arg === "--port" || arg.startsWith("--port="))) args.push("--port", "0");
  const token =
    findToken(args) ?? options.env?.WARMLINE_GATEWAY_TOKEN ?? randomBytes(24).toString("base64url");
  const cli = options.cli ?? installedCli();
  const child = spawn(process.execPath, ["--import", LEASH, cli, ...args], {
    env: { ...process.env, WARMLINE_GATEWAY_TOKEN: token, ...options.env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const tail = new Tail();
  tail.follow(child.stdout);
  tail.follow(child.stderr);
  let ended = false;
  const exited = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      ended = true;
      removeExitHook();
      resolve(code);
    });
    child.once("error", () => resolve(null));
  });
  const removeExitHook = endOnExit(() => child.kill("SIGKILL"));

  async function stop(): Promise<number | null> {
    if (!ended) child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
    const code = await exited;
    clearTimeout(timer);
    return code;
  }

  const url = await new Promise<string | undefined>((resolve) => {
    const look = () => {
      const ready = /^warmline-gateway ready (\S+)\n/m.exec(tail.text);
      if (ready) resolve(ready[1]);
    };
    child.stdout!.on("data", look);
    void exited.then(() => resolve(undefined));
    setTimeout(() => resolve(undefined), READY_TIMEOUT_MS).unref();
  });
  if (url === undefined) {
    await stop();
    throw new Error(`The gateway did not become ready:\n${tail.text}`);
  }

  let ownRequests = 0;
  const metric = async (name: string): Promise<number> => {
    ownRequests++;
    const metrics = await get(`${url}/metrics`, { Authorization: `Bearer ${token}` });
    const line = metrics
      .split("\n")
      .find((each) => each.startsWith(`${name} `) || each.startsWith(`${name}{`));
    if (line === undefined) throw new Error(`The gateway has no metric ${name}.`);
    return Number(line.slice(line.lastIndexOf(" ") + 1));
  };

  return {
    pid: child.pid!,
    url,
    port: Number(new URL(url).port),
    token,
    get output() {
      return tail.text;
    },
    metric,
    connectionsOpened: async () => (await metric("warmline_gateway_connections_opened_total")) - ownRequests,
    health: async () => {
      ownRequests++;
      return JSON.parse(await get(`${url}/health`, {}));
    },
    stop,
  };
}

function findToken(args: readonly string[]): string | undefined {
  const at = args.indexOf("--token");
  return at >= 0 ? args[at + 1] : args.find((arg) => arg.startsWith("--token="))?.slice("--token=".length);
}

/** Returns the path of the program of the installed package. */
function installedCli(): string {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("warmline-gateway/package.json");
  const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
  const cli = join(dirname(manifest), typeof bin === "string" ? bin : bin["warmline-gateway"]);
  if (!existsSync(cli)) throw new Error("The gateway is not built: run `npm run build` first.");
  return cli;
}

/** Returns the body of a GET on a separate connection. @throws unless the status is 200 */
async function get(url: string, headers: Record<string, string>): Promise<string> {
  const options = { agent: false, headers: { ...headers, Connection: "close" } };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, options, resolve).on("error", reject).end();
  });
  const body = await text(response);
  if (response.statusCode === 200) return body;
  throw new Error(`The gateway responded ${response.statusCode} to ${new URL(url).pathname}: ${body}`);
}
