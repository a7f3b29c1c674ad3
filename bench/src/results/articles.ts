/** The articles whose experiments the bench repeats, by a short name. */
const ARTICLES = {
  keepalive: "Reusing HTTP connections with keepalive in serverless (Upstash)",
  serverless: "Challenge of serverless: database connections (Upstash)",
  reconnect: "Frequent reconnections improved by a connection manager (YugabyteDB)",
  lambda: "Lambda optimization tip: enable HTTP keep-alive (Yan Cui)",
  envoy: "How we use Envoy to improve PHP Redis client performance (Houzz)",
} as const;

interface ArticleClaim {
  readonly text: string;
  /** The article's own number. */
  readonly result: string;
  /** The same number in the unit of the check that decides it, for claims with one that can be compared. */
  readonly number?: number;
  /** The scenario whose check decides it, or the reason if none can. */
  readonly scenario?: string;
  readonly unmeasured?: string;
}

const claim = (scenario: string, text: string, found: { result: string; number?: number }): ArticleClaim => {
  return { scenario, text, ...found };
};
const unmeasured = (text: string, result: string, reason: string): ArticleClaim => {
  return { text, result, unmeasured: reason };
};

/** The claims, article by article, by the names of the article and of the claim. A check of a scenario names the one that it decides. */
export const CLAIMS = {
  "keepalive.first": claim("keepalive", "The first request takes longer than later ones, on average", {
    result: "20x, 43 and 2.2 ms",
    number: 20,
  }),
  "keepalive.reuse": claim("keepalive", "A kept connection is faster than a new one, on average", {
    result: "yes, 2.2 ms on average",
  }),
  "keepalive.recreated": claim(
    "keepalive",
    "An agent that is recreated in the handler loses the connection",
    { result: "yes" },
  ),
  "keepalive.miss": claim(
    "sequential",
    "In a cold call that misses the cache, the SET reuses the connection of the GET",
    { result: "yes" },
  ),
  "serverless.lightweight": claim("memory", "A connection per command adds little at the 99th percentile", {
    result: "75 us within a zone, 80 us between two",
    number: 0.075,
  }),
  "serverless.smallFunction": claim("memory", "It adds more on a small Lambda function", {
    result: "6 to 7 ms at 128 MB, 75 us on a whole machine",
    number: 6.5,
  }),
  "serverless.advice": unmeasured(
    "Functions of 1 GB or more may open and close the client inside",
    "advice",
    "Advice without a number; memory measures 1,024 MB.",
  ),
  "serverless.eviction": claim(
    "fleet",
    "Evicting idle connections above a soft limit lets fewer be refused",
    { result: "a great decrease in rejected connections" },
  ),
  "serverless.zombie": claim(
    "zombie",
    "An idle limit shorter than the instance's lifetime causes errors, a longer one does not",
    { result: "ETIMEDOUT at 60 s, none at 310 s" },
  ),
  "serverless.retry": claim("faults", "A client that repeats a timed-out write may apply it twice", {
    result: "may",
  }),
  "serverless.http": claim("keepalive", "A command takes longer over HTTP than over the Redis protocol", {
    result: "about 5 ms",
    number: 5,
  }),
  "serverless.finWait": claim("zombie", "The server's socket of a frozen function stays in FIN_WAIT_2", {
    result: "30 s",
  }),
  "reconnect.anew": claim("reconnect", "A static connection has more throughput than one per command", {
    result: "78x, 1,560 and 20 tps",
    number: 78,
  }),
  "reconnect.pool": claim("reconnect", "A pool in the database recovers a part of it", {
    result: "17.5%, from 20 to 290 of 1,560 tps",
    number: 0.175,
  }),
  "reconnect.idle": claim("established", "A pool reduces the resources that idle connections use", {
    result: "yes",
  }),
  "reconnect.prepared": unmeasured(
    "The pool is as fast with prepared statements",
    "277 tps",
    "Redis has no prepared statements.",
  ),
  "lambda.one": claim("sequential", "Keep-alive makes one write faster, on average", {
    result: "3.3x, 33 and 10 ms",
    number: 3.3,
  }),
  "lambda.ten": claim("sequential", "It saves more on ten writes than on one", {
    result: "120 ms against 23 ms",
    number: 97,
  }),
  "lambda.across": claim("sequential", "A connection is reused by later invocations", { result: "yes" }),
  "lambda.endToEnd": claim(
    "sequential",
    "What keep-alive saves on ten writes is seen from outside, behind an API gateway",
    { result: "120 ms", number: 120 },
  ),
  "lambda.sales": unmeasured("Adding 100 ms reduces sales", "1%", "It is about customers."),
  "envoy.timeWait": claim("time-wait", "A proxy reduces the sockets in TIME_WAIT", {
    result: "95.6%, 70,145 to 3,108",
  }),
  "envoy.pileUp": claim("time-wait", "Without it, closed connections pile up in TIME_WAIT", {
    result: "70,145 sockets at some 5,000 connections per second",
  }),
  "envoy.topology": claim(
    "request-parts",
    "Fetching the topology in each request costs as much as a command",
    { result: "4 to 5 ms, 100% of one command", number: 1 },
  ),
  "envoy.connect": claim("request-parts", "A proxy next to the process takes the time for connecting away", {
    result: "from 5 ms to nearly 0",
  }),
  "envoy.slower": claim("request-parts", "Reads and writes take a bit longer through the proxy", {
    result: "a bit",
  }),
  "envoy.sparse": claim("request-parts", "Sparse requests lose most", { result: "more obvious" }),
  "envoy.reuse": claim("time-wait", "net.ipv4.tcp_tw_reuse does not reduce the sockets in TIME_WAIT", {
    result: "70,145 remain",
    number: 1,
  }),
  "envoy.exhausted": claim("time-wait", "As these sockets pile up, new connections fail", {
    result: "timeouts after 4 s",
  }),
  "envoy.replica": claim(
    "replica-down",
    "While a replica is down, reads through the proxy, which repeats none, fail",
    { result: "for some 10 s", number: 10 },
  ),
  "envoy.established": claim(
    "established",
    "The proxy's kept connections raise the number of open ones at the servers",
    { result: "a dramatic increase" },
  ),
  "envoy.idleLimit": claim("established", "Half the servers' idle limit lowers it", {
    result: "30% less at 150 s instead of 300 s",
    number: 0.3,
  }),
  "envoy.pods": unmeasured(
    "Fewer instances of the application are needed",
    "some",
    "The article has no number.",
  ),
} satisfies Readonly<Record<`${keyof typeof ARTICLES}.${string}`, ArticleClaim>>;

export const articleOf = (id: string): string => ARTICLES[id.split(".")[0] as keyof typeof ARTICLES];

/** All claims, with their names and the titles of their articles. */
export const listedClaims = () =>
  Object.entries<ArticleClaim>(CLAIMS).map(([id, claim]) => ({ ...claim, id, title: articleOf(id) }));
