import { crc32 } from "node:zlib";
import type { Authenticator } from "../access/authenticator.js";
import { type CommandContext, refused } from "../access/denial-reasons.js";
import { type OriginRules, originAllowed, originDenialReason } from "../access/origin.js";
import type { Permissions } from "../access/permissions.js";
import type { Role } from "../access/roles.js";
import { bearerOf, digestOf } from "../access/token.js";
import { waitOf } from "../commands/blocking.js";
import { getCommandInfo, isRead } from "../commands/command-info.js";
import { KeyLockingScripts } from "../commands/key-locking.js";
import { consolePage, wantsPage } from "../console/console-page.js";
import type { Connection, ConnectionHost, Content, HttpService } from "../http/connection.js";
import type { HttpError } from "../http/http-error.js";
import type { RequestHead } from "../http/request-head.js";
import { resolveRequestId, traceContextOf } from "../log/request-id.js";
import type { RequestLog } from "../log/request-log.js";
import type { TokenNumbers, Traffic } from "../metrics/traffic.js";
import { NEAR_HEADER, type NearReports, type NearRequest, parseNearRequest } from "../near/near-header.js";
import type { Lanes } from "../numbers/lanes.js";
import type { Activity } from "../redis/activity.js";
import { isRefusing } from "../redis/server.js";
import type { Upstream } from "../redis/upstream.js";
import type { Command } from "../resp/command.js";
import { lineOf } from "../resp/replies.js";
import type { Settings } from "../settings/options.js";
import { EMPTY } from "../util/bytes.js";
import { BadRequest } from "./bad-request.js";
import { type RunBatch, readBatch, runPipeline, runTransaction } from "./batch.js";
import {
  Exchange,
  type ExchangeHandler,
  JSON_TYPE,
  jsonError,
  RESP_TYPE,
  UNSENT_HEADERS,
} from "./exchange.js";
import { JsonCommands, readJsonCommand } from "./json-args.js";
import { readPathCommand, unescapeBytes } from "./path-args.js";
import { RespCommands, readRespCommand } from "./resp-args.js";
import { SingleResponse } from "./responses.js";
import type { Streams } from "./streams.js";

export interface HandlerOptions {
  readonly settings: Pick<Settings, "maxBodySize" | "maxCommands" | "allowGetWrites" | "console">;
  readonly upstream: Upstream;
  readonly authenticator: Authenticator;
  readonly origins: OriginRules;
  readonly traffic: Traffic;
  readonly log: RequestLog;
  /** Returns all metrics in Prometheus's text format. */
  readonly metrics: () => Promise<string>;
  readonly streams: Streams;
  /** The description of the engine, for `/health`. */
  readonly engine: string;
  /** Returns why Redis can't be reached at present, or null. */
  readonly problem: () => string | null;
  /** Returns why Redis can't keep its data at present, or null. */
  readonly unkept: () => string | null;
  /** Whether `/health` and `/ready` describe the engine to clients without a token. */
  readonly engineIsPublic: boolean;
  /** Reports to near caches; null if no prefix is tracked. */
  readonly near: NearReports | null;
  readonly lanes: Lanes;
  /** When Redis is not used, and has no connections that could be checked. */
  readonly activity: Activity | undefined;
}

/** The facts derived from a request's head. */
interface HeadFacts {
  readonly path: string;
  readonly query: string;
  /** The reason why the origin of the request is not allowed, or null if it is. */
  readonly foreign: string | null;
  /** The sender's permissions, or null if it sent no valid token. */
  readonly permissions: Permissions | null;
  readonly numbers: TokenNumbers | null;
  /** The header of a near cache; null without one. */
  readonly near: NearRequest | null;
  /** Identifies the token. */
  readonly owner: string;
  readonly target: number;
  /** Whether a proxy says that it has passed the request on. */
  readonly proxied: boolean;
  readonly generation: number;
}

/** The facts of a request whose sender has a token. */
interface AdmittedFacts extends HeadFacts {
  readonly permissions: Permissions;
}

/** A row of the table of routes. */
interface Route {
  /** The label in metrics and logs. */
  readonly label: string;
  /** What a request needs: nothing, a token, or also room within the limits of connections and of the token. */
  readonly needs: "nothing" | "token" | "share";
  /** The roles that may use it. Default: all. */
  readonly roles?: readonly Role[];
  /** Processes a request. Without the need of a token, it may have no permissions. */
  serve(exchange: Exchange, facts: AdmittedFacts): void;
}

/** Reads the commands of a request from its body, or its path, and runs them. */
type CommandsReader = (exchange: Exchange, facts: AdmittedFacts, body: Buffer | null) => void;

/** The console page, which holds no secret. */
const CONSOLE: Route = {
  label: "console",
  needs: "nothing",
  serve(exchange) {
    const page = consolePage();
    exchange.respond(200, page.type, page.body, page.headers);
  },
};

const isResp = ({ req }: Exchange) => req.headers["content-type"] === RESP_TYPE;

const SINGLE: CommandContext = { kind: "single", before: 0 };
/** Timeout in ms for Redis's reply to a health check. */
const HEALTH_TIMEOUT = 1_000;
/** The largest body of a token that may run reads alone, in bytes. */
const MAX_READ_BODY = 1024 * 1024;
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
const ALLOWED = "HEAD, GET, POST, PUT";
/** Headers of responses that browsers show to pages of other origins. */
const EXPOSED = `Retry-After, upstash-sync-token, ${["Alone", "Gateway", "Instance", "Near", "Number", "Outcome"].map((name) => `Warmline-${name}`).join(", ")}, X-Request-Id`;
const INVALID_TOKEN = "WRONGPASS invalid or missing auth token";

/** Processes requests: decodes their commands, and sends these to Redis. */
export class Handler implements HttpService, ExchangeHandler {
  readonly #facts = new WeakMap<RequestHead, HeadFacts>();
  readonly #scripts = new KeyLockingScripts();
  /** The routes by their paths. Other paths are those of event streams, or commands. */
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #byPath: Route;
  /** The metrics that are about to be collected, or null. */
  #collected: Promise<string> | null = null;

  constructor(private readonly options: HandlerOptions) {
    const health = (path: "/health" | "/ready"): Route => ({
      label: path.slice(1),
      needs: "nothing",
      serve: (exchange, { permissions }) => this.#health(exchange, path === "/ready", permissions !== null),
    });
    this.#routes = new Map<string, Route>([
      ["/", this.#commands("command", this.#body)],
      ["/pipeline", this.#commands("pipeline", this.#batch(runPipeline))],
      ["/multi-exec", this.#commands("multi-exec", this.#batch(runTransaction))],
      ["/health", health("/health")],
      ["/ready", health("/ready")],
      [
        "/metrics",
        {
          label: "metrics",
          needs: "token",
          roles: ["admin", "metrics"],
          serve: (exchange) => this.#metrics(exchange),
        },
      ],
    ]);
    this.#byPath = this.#commands("command", this.#path);
  }

  exchange(head: RequestHead, connection: Connection, host: ConnectionHost, startedAt: number): Exchange {
    return new Exchange(head, connection, host, this, startedAt);
  }

  refused(error: HttpError): Content {
    this.malformed(error);
    const { status, message } = error;
    const headers = status === 503 ? UNSENT_HEADERS : [];
    return { type: JSON_TYPE, body: jsonError(`ERR ${message}`), headers };
  }

  handle(exchange: Exchange): void {
    this.options.traffic.requests++;
    this.#identify(exchange);
    exchange.guard(() => this.#route(exchange));
  }

  malformed(error: HttpError): void {
    if (!error.isMalformed) return;
    this.options.traffic.malformedBy(error.reason);
    this.options.log.count("malformed", error.reason);
  }

  settled(exchange: Exchange, status: number): void {
    const { req, record, streaming, quota } = exchange;
    const { traffic, log } = this.options;
    const ms = performance.now() - exchange.startedAt;
    if (quota) {
      quota.leaveRequest();
      // The bytes of an event stream were counted as they were sent.
      quota.transferred(record.requestBytes + (streaming ? 0 : record.responseBytes));
    }
    traffic.settled(record, status, streaming ? null : ms, exchange.tokenNumbers);
    if (log.isOn) {
      const trace = traceContextOf(req.headers.traceparent);
      log.request(record, { method: req.method, status, ms, trace, waits: record.blocks || streaming });
    }
    if (status >= 500) log.count("failed", status);
  }

  /** Without a log of requests an id that is made here would lead nowhere: then only a given one is returned. */
  #identify(exchange: Exchange): void {
    const { log } = this.options;
    const given = exchange.req.headers["x-request-id"];
    if (given === undefined && !log.isOn) return;
    exchange.record.requestId = resolveRequestId(given);
    exchange.extraHeaders.push("X-Request-Id", exchange.record.requestId);
    if (log.isOn) exchange.record.client = exchange.connection.client;
  }

  #route(exchange: Exchange): void {
    const { req } = exchange;
    const facts = this.#factsOf(req);
    if (facts.foreign) throw new BadRequest(`NOPERM ${facts.foreign}`, 403);
    const { origins } = this.options;
    const { method, headers } = req;
    if (headers.origin !== undefined && originAllowed(headers.origin, origins))
      this.#allowOrigin(exchange, headers.origin);
    if (facts.path === "*") {
      // About the server as a whole (RFC 9110, 9.3.7).
      exchange.respond(204, JSON_TYPE, EMPTY, ["Allow", `${ALLOWED}, OPTIONS`]);
    } else if (method === "OPTIONS" && origins.origins.length > 0) exchange.respond(204, JSON_TYPE, EMPTY);
    else if (method !== "POST" && method !== "GET" && method !== "PUT" && method !== "HEAD")
      exchange.refuse(405, `ERR the HTTP method must be one of ${ALLOWED}`, ["Allow", ALLOWED]);
    else {
      const route = this.#routeOf(req, facts);
      if (!this.#admit(exchange, facts, route)) return;
      exchange.record.route = route.label;
      route.serve(exchange, facts as AdmittedFacts);
    }
  }

  #routeOf(req: RequestHead, { path, permissions }: HeadFacts): Route {
    const { settings, streams } = this.options;
    if (settings.console && wantsPage(req.method, path, req.headers.accept)) return CONSOLE;
    const route = this.#routes.get(path);
    if (route) return route;
    const open = permissions && streams.match(path, permissions);
    if (!open) return this.#byPath;
    return {
      label: "stream",
      needs: "share",
      serve: (exchange, facts) => this.#stream(exchange, facts, open),
    };
  }

  /**
   * Whether a request has what its route needs: a token, its role, and room within the limits. If not, it has its response.
   * @throws {BadRequest} when the role may not use the route
   * @throws {LimitExceeded} when the token is over a limit
   */
  #admit(exchange: Exchange, { path, permissions, numbers }: HeadFacts, { needs, roles }: Route): boolean {
    if (needs === "nothing") return true;
    if (!permissions) {
      exchange.refuse(401, INVALID_TOKEN);
      return false;
    }
    exchange.record.token = permissions.name;
    exchange.tokenNumbers = numbers;
    exchange.revocation = permissions.revocation;
    if (roles && !roles.includes(permissions.role)) throw new BadRequest(refused(path), 403);
    if (needs === "token") return true;
    if (exchange.connection.refused) {
      exchange.unsent("ERR max number of clients reached");
      return false;
    }
    if (permissions.quota.isLimited) {
      permissions.quota.enterRequest();
      exchange.quota = permissions.quota;
    }
    return true;
  }

  /** Opens an event stream, or changes one. */
  #stream(exchange: Exchange, facts: AdmittedFacts, open: (exchange: Exchange, body: Buffer) => void): void {
    const { method } = exchange.req;
    const { permissions } = facts;
    if (method !== "GET" && method !== "POST") {
      exchange.refuse(405, "ERR event streams take GET or POST", ["Allow", "GET, POST"]);
      return;
    }
    exchange.readBody(this.#maxBody(permissions), (body) => {
      if (permissions.revocation.isRevoked) exchange.error(401, INVALID_TOKEN);
      else exchange.guard(() => open(exchange, body));
    });
  }

  /** A route that runs commands. `run` gets the body, or null without one. */
  #commands(label: string, run: CommandsReader): Route {
    return {
      label,
      needs: "share",
      serve: (exchange, facts) => {
        readFormat(exchange);
        const { method } = exchange.req;
        const { near, permissions } = facts;
        const start = (body: Buffer | null) =>
          exchange.guard(() => {
            if (this.#enters(exchange, facts, body)) run(exchange, facts, body);
          });
        const onBody = (body: Buffer | null) => {
          // The body may have taken long.
          if (permissions.revocation.isRevoked) exchange.error(401, INVALID_TOKEN);
          else if (near) {
            // A near cache gets a report of changes with its response.
            this.options.near!.report(near, permissions.prefix, (value) => {
              if (exchange.gone) return;
              exchange.extraHeaders.push(NEAR_HEADER, value);
              start(body);
            });
          } else start(body);
        };
        if (method === "POST" || method === "PUT") exchange.readBody(this.#maxBody(permissions), onBody);
        else onBody(null);
      },
    };
  }

  #maxBody({ readsOnly }: Permissions): number {
    const { maxBodySize } = this.options.settings;
    return readsOnly ? Math.min(maxBodySize, MAX_READ_BODY) : maxBodySize;
  }

  /** Returns the facts derived from the head alone. They are cached by head, since clients repeat theirs. */
  #factsOf(req: RequestHead): HeadFacts {
    const { authenticator, origins, traffic, near } = this.options;
    let facts = this.#facts.get(req);
    if (facts?.generation !== authenticator.generation) {
      const { url, headers } = req;
      const mark = url.indexOf("?");
      const path = mark < 0 ? url : url.slice(0, mark);
      const query = mark < 0 ? "" : url.slice(mark + 1);
      const token = tokenOf(req, query);
      const permissions = token === null ? null : authenticator.authenticate(token);
      facts = {
        path,
        query,
        foreign: originDenialReason(headers, origins),
        permissions,
        numbers: permissions && traffic.tokens.of(permissions.name),
        near: near && headers["warmline-near"] ? parseNearRequest(headers["warmline-near"]) : null,
        target: crc32(url),
        owner: token === null ? "" : digestOf(token).toString("latin1"),
        proxied: (headers["x-forwarded-for"] ?? headers.via ?? headers.forwarded) !== undefined,
        generation: authenticator.generation,
      };
      this.#facts.set(req, facts);
    }
    return facts;
  }

  /** Whether a request is to be run: with a number, not if a copy was or is, or may have been. */
  #enters(exchange: Exchange, { owner, target, proxied }: HeadFacts, body: Buffer | null): boolean {
    const { number } = exchange.connection;
    if (number === "") return true;
    const digest = crc32(body ?? "", target);
    exchange.numbered = this.options.lanes.enter(number, owner, digest, exchange, proxied);
    return exchange.numbered !== null;
  }

  /** `/`: the body is a command. */
  #body = (exchange: Exchange, { permissions }: AdmittedFacts, body: Buffer | null): void => {
    if (!body) throw new BadRequest("ERR empty command");
    this.#single(exchange, permissions, isResp(exchange) ? readRespCommand(body) : readJsonCommand(body));
  };

  /** `/pipeline` and `/multi-exec`: the body is a list of commands. */
  #batch(run: RunBatch): CommandsReader {
    return (exchange, { permissions }, body) => {
      if (!body) throw new BadRequest("ERR empty pipeline");
      const { settings, traffic } = this.options;
      const source = isResp(exchange) ? new RespCommands(body) : new JsonCommands(body);
      const plain = (command: Command) => this.#scripts.plain(command);
      readBatch(exchange, source, settings.maxCommands, plain, (commands) => {
        exchange.tokenNumbers!.commands += commands.length;
        run(exchange, permissions, commands, traffic.commands, (command) =>
          this.#deliveriesOf(permissions, command),
        );
      });
    };
  }

  /** Any other path: it is the command, such as `/get/k`. */
  #path = (exchange: Exchange, { permissions, path, query }: AdmittedFacts, body: Buffer | null): void => {
    const command = readPathCommand(path, query, body);
    if (!body && !this.options.settings.allowGetWrites && !isRead(command)) {
      throw new BadRequest(`NOPERM '${command.name.toLowerCase()}' may write: send it with POST`);
    }
    this.#single(exchange, permissions, command);
  };

  #single(exchange: Exchange, permissions: Permissions, given: Command): void {
    const command = this.#scripts.plain(given);
    const { traffic, log } = this.options;
    const info = getCommandInfo(command);
    if (log.isOn) exchange.record.what = info?.name ?? "unknown";
    traffic.commands.received(info);
    exchange.tokenNumbers!.commands++;
    const text = permissions.denialReason(command, SINGLE);
    if (text !== null) {
      traffic.commands.failed(info);
      throw new BadRequest(text);
    }
    const wait = waitOf(command);
    exchange.record.blocks = wait !== null;
    if (exchange.record.blocks) exchange.unnumber();
    permissions.quota.enter(1, exchange.record.blocks);
    permissions.quota.owe(this.#deliveriesOf(permissions, command));
    const response = new SingleResponse(exchange, info, traffic.commands, permissions.quota);
    const { commands, receiver } = permissions.rewrite([command], response);
    if (wait === null) permissions.upstream.send(commands, receiver);
    else exchange.onGone(permissions.upstream.sendAlone(commands, [wait], receiver));
  }

  /** The deliveries of a command that count against its token: a token without a rate of commands owes none. */
  #deliveriesOf({ quota }: Permissions, command: Command): number {
    return quota.hasCommandRate ? this.options.streams.deliveriesOf(command) : 0;
  }

  /**
   * Responds to `/health` and `/ready`. The latter says whether requests should be sent to this gateway: they should not
   * while Redis does not reply, refuses commands or does not keep its data, or the gateway is closing. Clients that may learn the address of Redis get more.
   */
  #health(exchange: Exchange, isReady: boolean, authorized: boolean): void {
    const { upstream, engine, engineIsPublic, problem, unkept, activity } = this.options;
    /** @param downReason why Redis can't be used, null if it can */
    const respond = (details: object, downReason: string | null) => {
      const isClosing = isReady && exchange.draining;
      const isDown = downReason !== null && !isClosing;
      const status = isClosing ? "closing" : isDown ? "down" : isReady ? "ready" : "ok";
      const reason = isDown && (engineIsPublic || authorized) ? downReason : undefined;
      const body = JSON.stringify({ status, ...details, reason });
      exchange.respond(isDown || isClosing ? 503 : 200, JSON_TYPE, Buffer.from(body));
    };
    if (activity?.isResting) {
      respond({ redis: "not connected: there were no commands" }, null);
      return;
    }
    void upstream.ping(HEALTH_TIMEOUT).then((reply) => {
      const details = !isReady && (engineIsPublic || authorized) ? { engine } : {};
      const lost = isReady ? unkept() : null;
      if (!reply) respond(details, problem() ?? `${engine} did not reply within ${HEALTH_TIMEOUT} ms`);
      else if (isReady && isRefusing(reply)) respond(details, `${engine} refuses commands: ${lineOf(reply)}`);
      else respond(details, lost && (problem() ?? lost));
    });
  }

  /** Responds with the metrics. They are collected once for all requests of one iteration of the event loop. */
  #metrics(exchange: Exchange): void {
    this.#collected ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#collected = null;
      return this.options.metrics();
    });
    this.#collected.then(
      (text) => exchange.respond(200, METRICS_TYPE, Buffer.from(text)),
      () => exchange.error(500, "ERR the metrics could not be collected"),
    );
  }

  #allowOrigin(exchange: Exchange, origin: string): void {
    exchange.extraHeaders.push(
      "Access-Control-Allow-Origin",
      origin,
      "Vary",
      "Origin",
      "Access-Control-Expose-Headers",
      EXPOSED,
    );
    if (exchange.req.method !== "OPTIONS") return;
    exchange.extraHeaders.push(
      "Access-Control-Allow-Methods",
      ALLOWED,
      "Access-Control-Allow-Headers",
      exchange.req.headers["access-control-request-headers"] ?? "Authorization, Content-Type",
      "Access-Control-Max-Age",
      "600",
    );
  }
}

/** The token that a request presents: in its header, or else in its query. */
function tokenOf({ headers: { authorization } }: RequestHead, query: string): string | null {
  if (authorization !== undefined) return bearerOf(authorization);
  if (!query.includes("_token=")) return null;
  const pair = query.split("&").find((part) => part.startsWith("_token="));
  return pair === undefined ? null : unescapeBytes(pair.slice("_token=".length), true).toString();
}

/** Sets the format that the request's headers select. */
function readFormat(exchange: Exchange): void {
  const { headers } = exchange.req;
  const encoding = headers["upstash-encoding"];
  const format = headers["upstash-response-format"];
  if (encoding !== undefined) {
    if (encoding !== "base64") throw new BadRequest("ERR unknown Upstash-Encoding: only base64 is supported");
    exchange.format = "base64";
  }
  if (format === undefined) return;
  if (format !== "resp2")
    throw new BadRequest("ERR unknown Upstash-Response-Format: only resp2 is supported");
  if (encoding !== undefined) throw new BadRequest("ERR resp2 and base64 can't be combined");
  exchange.format = "resp2";
}
