import { Authenticator } from "./access/authenticator.js";
import { openedCommands } from "./access/denial-reasons.js";
import { isLoopbackName } from "./access/origin.js";
import { Shares } from "./access/quota.js";
import { randomToken } from "./access/token.js";
import { readTokenList } from "./access/token-list.js";
import { Handler } from "./api/handler.js";
import { Streams } from "./api/streams.js";
import { createBackend } from "./backend.js";
import { Connections } from "./http/connections.js";
import { ResponseHeads } from "./http/response-head.js";
import { HttpServer } from "./http/server.js";
import { failureOf } from "./log/failure.js";
import { createLog } from "./log/log.js";
import { RequestLog } from "./log/request-log.js";
import { LoopDelay } from "./metrics/loop-delay.js";
import { createMetrics } from "./metrics/metrics.js";
import { Traffic } from "./metrics/traffic.js";
import { ChangeTracker } from "./near/change-tracker.js";
import { NearReports } from "./near/near-header.js";
import { Lanes } from "./numbers/lanes.js";
import { Presence } from "./numbers/presence.js";
import { Activity } from "./redis/activity.js";
import { type GatewayOptions, hasToken, resolveSettings } from "./settings/options.js";
import { CommandFeed } from "./trace/command-feed.js";
import { upstreamsForClients } from "./trace/trace.js";
import { BufferBudget } from "./util/buffer-budget.js";
import { Certificate } from "./util/certificate.js";
import { VERSION } from "./version.js";

/**
 * Headers of every response. The sync token is opaque to clients. It never changes, since one server's writes are always
 * seen by its reads.
 */
const COMMON_HEADERS = ["Warmline-Gateway", VERSION, "upstash-sync-token", "0"];

/** A running gateway. */
export interface Gateway {
  /** The URL that the gateway listens on, such as `http://127.0.0.1:8079`. */
  readonly url: string;
  /** The token that clients must send as `Authorization: Bearer <token>`. Empty if only `tokens` were given. */
  readonly token: string;
  /** A description of the engine, such as `redis 7.0.15 (started privately)`. */
  readonly engine: string;
  /** A description of where the Redis that it started keeps its data between runs. Null if the data is lost at the end. */
  readonly data: string | null;
  /**
   * The reason why the Redis of `redis` can't be reached at present. Null if it can be, and for an engine. While a Redis was
   * never reached, commands fail at once.
   */
  readonly problem: string | null;
  /** Whether a browser that opens {@link Gateway.url} gets a console page, which requires a token. */
  readonly console: boolean;
  /**
   * Closes the gateway. During `drainDelay`, `/ready` reports that it is closing. Then the gateway stops accepting
   * connections and waits up to `shutdownTimeout` for requests in flight. Requests that take longer get a 503 with the outcome
   * of their command. Last it closes every connection and the engine. Commands that block at Redis are ended. Safe to call more than once.
   */
  close(): Promise<void>;
}

/** A gateway as this package itself starts it. */
export interface StartedGateway extends Gateway {
  /** The outcome of the `seed` file as a sentence, or null without one. */
  readonly seeded: string | null;
}

/**
 * Starts a gateway: see `createGateway`.
 * @param onServer called with the server, which does not listen then: it gets its connections from this function
 */
export async function startGateway(
  options: GatewayOptions,
  onServer?: (server: HttpServer) => void,
): Promise<StartedGateway> {
  const settings = resolveSettings(options);
  const { tlsCert, tlsKey } = settings;
  const certificate = tlsCert && tlsKey ? new Certificate({ cert: tlsCert, key: tlsKey }) : null;
  const { token, tokenFile, tokens: listed, tokensFile } = settings;
  const given = { token, tokenFile, tokens: listed, tokensFile };
  const sources = hasToken(settings) ? given : { token: randomToken() };
  const tokens = readTokenList(sources);
  const log = createLog(settings.logLevel);
  const budget = new BufferBudget(settings.maxBufferedBytes);
  const { redisIdleTimeout, redisLazy } = settings;
  const activity = redisIdleTimeout > 0 || redisLazy ? new Activity(redisIdleTimeout, redisLazy) : undefined;
  const backend = await createBackend(settings, log, budget, activity);
  const { host } = settings;
  const plain = backend.upstreams;
  const feed = settings.onCommand || settings.console ? new CommandFeed() : null;
  if (settings.onCommand) feed?.add(settings.onCommand);
  const upstreams = upstreamsForClients(plain, feed, activity);
  const upstream = upstreams.of(null);
  const requests = new RequestLog(log, settings.logRequests, settings.slowLog);
  const onNotice = (message: string, isError: boolean) => (isError ? log.error(message) : log.info(message));
  const authenticator = new Authenticator({
    sources,
    tokens,
    upstreams,
    opened: openedCommands(settings.allowCommand),
    shares: new Shares(
      {
        blocking: settings.maxBlockingConnections,
        transactions: settings.maxTransactionConnections,
        streams: settings.maxStreams,
        queued: settings.maxQueuedCommands * settings.redisConnections,
      },
      settings.commandTimeout,
    ),
    onNotice,
  });
  const connections = new Connections({
    idle: settings.keepAliveTimeout,
    head: settings.headersTimeout,
    body: settings.bodyTimeout,
    soft: settings.softMaxConnections,
    hard: settings.maxConnections,
    budget,
  });
  const isLocal = isLoopbackName(host);
  const streams = new Streams({
    settings,
    budget,
    feed: settings.console ? feed : null,
    onLost: (reason) => requests.count("lost", reason),
    activity,
  });
  const { nearPrefix } = settings;
  const tracker = nearPrefix.length > 0 ? new ChangeTracker(plain.of(null), nearPrefix, log) : null;
  const traffic = new Traffic();
  const loopDelay = new LoopDelay();
  const metrics = createMetrics({ traffic, connections, budget, upstreams, streams, loopDelay });
  const presence = backend.isShared ? new Presence(plain.of(null), redisLazy) : null;
  const alone = { use: () => true, check() {}, aloneSince: performance.now() / 1_000 };
  const lanes = new Lanes(budget, presence ?? alone);
  if (presence) presence.onMissed = () => lanes.renew();
  if (activity) {
    activity.isBusy = () => streams.open > 0 || [...plain].some(({ pending }) => pending > 0);
    if (presence) activity.add(presence);
    if (tracker) activity.add({ rest: () => tracker.rest(), wake: () => tracker.open() });
  }
  const handler = new Handler({
    settings,
    upstream,
    streams,
    authenticator,
    origins: { loopbackHostOnly: isLocal, hosts: settings.allowedHosts, origins: settings.cors },
    traffic,
    log: requests,
    metrics: () => metrics.metrics(),
    engine: backend.description,
    engineIsPublic: isLocal,
    problem: () => backend.problem,
    unkept: () => backend.unkept,
    near: tracker && new NearReports(tracker, nearPrefix),
    lanes,
    activity,
  });
  const server = new HttpServer({
    service: handler,
    connections,
    heads: new ResponseHeads(settings.keepAliveTimeout, COMMON_HEADERS, () => lanes.offer()),
    budget,
    certificate,
    greetTimeout: settings.headersTimeout,
    onNotice,
    onFailure: (error) => log.error(failureOf(error), "a request failed with an internal error"),
  });
  const end = async () => {
    authenticator.close();
    loopDelay.close();
    requests.close();
    tracker?.close();
    presence?.close();
    lanes.close();
    activity?.close();
    await backend.close();
  };
  let { port } = settings;
  try {
    if (onServer) onServer(server);
    else port = await server.listen(host, port);
  } catch (error) {
    connections.stop();
    certificate?.close();
    await end();
    throw error;
  }
  if (!redisLazy) {
    upstream.open();
    tracker?.open();
    await backend.firstAttempt(FIRST_CONTACT_TIMEOUT);
  }

  const close = async () => {
    const { drainDelay, shutdownTimeout } = settings;
    await server.drain(drainDelay);
    streams.close();
    for (const each of plain) each.endWaits(shutdownTimeout);
    await server.close(shutdownTimeout, () => {
      tracker?.close();
      plain.close();
    });
    await end();
  };
  let closing: Promise<void> | undefined;
  return {
    url: `${certificate ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`,
    get token() {
      return authenticator.mainToken;
    },
    engine: backend.description,
    data: backend.data,
    seeded: backend.seeded,
    get problem() {
      return backend.problem;
    },
    console: settings.console,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Time in ms that a start waits for Redis at most. */
const FIRST_CONTACT_TIMEOUT = 1_000;
