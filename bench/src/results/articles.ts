/** The articles whose experiments the bench repeats, by a short name. */
const ARTICLES = {
  keepalive: "Reusing HTTP connections with keepalive in serverless (Upstash)",
  serverless: "Challenge of serverless: database connections (Upstash)",
  reconnect: "Frequent reconnections improved by a connection manager (YugabyteDB)",
  lambda: "Lambda optimization tip: enable HTTP keep-alive (Yan Cui)",
  envoy: "How we use Envoy to improve PHP Redis client performance (Houzz)",
} as const;

/** The claims, article by article, by the names of the article and of the claim. A check of a scenario names the one that it decides. */
const TEXTS = {
  "keepalive.first": "The first request takes longer than later ones",
  "keepalive.reuse": "A kept connection is faster than a new one",
  "keepalive.recreated": "An agent that is recreated in the handler loses the connection",
  "keepalive.miss": "In a cold call that misses the cache, the SET reuses the connection of the GET",
  "serverless.lightweight": "A connection per command adds little at the 99th percentile",
  "serverless.smallFunction": "It adds more on a small Lambda function",
  "serverless.advice": "Functions of 1 GB or more may open and close the client inside",
  "serverless.eviction": "Evicting idle connections above a soft limit lets fewer be refused",
  "serverless.zombie":
    "An idle limit shorter than the instance's lifetime causes errors, a longer one does not",
  "serverless.retry": "A client that repeats a timed-out write may apply it twice",
  "serverless.http": "A command takes longer over HTTP than over the Redis protocol",
  "serverless.finWait": "The server's socket of a frozen function stays in FIN_WAIT_2",
  "reconnect.anew": "A static connection has more throughput than one per command",
  "reconnect.pool": "A pool in the database recovers a part of it",
  "reconnect.idle": "A pool reduces the resources that idle connections use",
  "reconnect.prepared": "The pool is as fast with prepared statements",
  "lambda.one": "Keep-alive makes one write faster, on average",
  "lambda.ten": "It saves more on ten writes than on one",
  "lambda.across": "A connection is reused by later invocations",
  "lambda.endToEnd": "What keep-alive saves on ten writes is seen from outside, behind an API gateway",
  "lambda.sales": "Adding 100 ms reduces sales",
  "envoy.timeWait": "A proxy reduces the sockets in TIME_WAIT",
  "envoy.pileUp": "Without it, closed connections pile up in TIME_WAIT",
  "envoy.topology": "Fetching the topology in each request costs as much as a command",
  "envoy.connect": "A proxy next to the process takes the time for connecting away",
  "envoy.slower": "Reads and writes take a bit longer through the proxy",
  "envoy.sparse": "Sparse requests lose most",
  "envoy.reuse": "net.ipv4.tcp_tw_reuse does not reduce the sockets in TIME_WAIT",
  "envoy.exhausted": "As these sockets pile up, new connections fail",
  "envoy.replica": "While a replica is down, reads through the proxy, which repeats none, fail",
  "envoy.established": "The proxy's kept connections raise the number of open ones at the servers",
  "envoy.idleLimit": "Half the servers' idle limit lowers it",
  "envoy.pods": "Fewer instances of the application are needed",
} as const satisfies Readonly<Record<`${keyof typeof ARTICLES}.${string}`, string>>;

export type ClaimId = keyof typeof TEXTS;

/**
 * For each claim: what the article found; the scenario whose check decides it, or why no scenario can; and the article's number in the
 * unit of that check, if the article has a number that can be compared.
 */
const FOUND: Readonly<
  Record<ClaimId, readonly [result: string, by: string | { unmeasured: string }, number?: number]>
> = {
  "keepalive.first": ["20x, 43 and 2.2 ms on average", "keepalive", 20],
  "keepalive.reuse": ["yes, 2.2 ms on average", "keepalive"],
  "keepalive.recreated": ["yes", "keepalive"],
  "keepalive.miss": ["yes", "sequential"],
  "serverless.lightweight": ["75 us within a zone, 80 us between two", "memory", 0.075],
  "serverless.smallFunction": ["6 to 7 ms at 128 MB, 75 us on a whole machine", "memory", 6.5],
  "serverless.advice": ["advice", { unmeasured: "Advice without a number; memory measures 1,024 MB." }],
  "serverless.eviction": ["a great decrease in rejected connections", "fleet"],
  "serverless.zombie": ["ETIMEDOUT at 60 s, none at 310 s", "zombie"],
  "serverless.retry": ["may", "faults"],
  "serverless.http": ["about 5 ms", "keepalive", 5],
  "serverless.finWait": ["30 s", "zombie"],
  "reconnect.anew": ["78x, 1,560 and 20 tps", "reconnect", 78],
  "reconnect.pool": ["17.5%, from 20 to 290 of 1,560 tps", "reconnect", 0.175],
  "reconnect.idle": ["yes", "established"],
  "reconnect.prepared": ["277 tps", { unmeasured: "Redis has no prepared statements." }],
  "lambda.one": ["3.3x, 33 and 10 ms", "sequential", 3.3],
  "lambda.ten": ["120 ms against 23 ms", "sequential", 97],
  "lambda.across": ["yes", "sequential"],
  "lambda.endToEnd": ["120 ms", "sequential", 120],
  "lambda.sales": ["1%", { unmeasured: "It is about customers." }],
  "envoy.timeWait": ["95.6%, 70,145 to 3,108", "time-wait"],
  "envoy.pileUp": ["70,145 sockets at some 5,000 connections per second", "time-wait"],
  "envoy.topology": ["4 to 5 ms, 100% of one command", "request-parts", 1],
  "envoy.connect": ["from 5 ms to nearly 0", "request-parts"],
  "envoy.slower": ["a bit", "request-parts"],
  "envoy.sparse": ["more obvious", "request-parts"],
  "envoy.reuse": ["70,145 remain", "time-wait"],
  "envoy.exhausted": ["timeouts after 4 s", "time-wait"],
  "envoy.replica": ["for some 10 s", "replica-down", 10],
  "envoy.established": ["a dramatic increase", "established"],
  "envoy.idleLimit": ["30% less at 150 s instead of 300 s", "established", 0.3],
  "envoy.pods": ["some", { unmeasured: "The article has no number." }],
};

/** Returns a claim, with its name and the title of its article. */
export function claimOf(id: ClaimId) {
  const [result, by, number] = FOUND[id];
  const title = ARTICLES[id.split(".")[0] as keyof typeof ARTICLES];
  const decided: { scenario?: string; unmeasured?: string } = typeof by === "string" ? { scenario: by } : by;
  return { id, title, text: TEXTS[id] as string, result, number, ...decided };
}

export const listedClaims = () => (Object.keys(TEXTS) as ClaimId[]).map(claimOf);
