/** The articles whose experiments the bench repeats, by a short name. */
export const ARTICLES = {
  keepalive: "Reusing HTTP connections with keepalive in serverless (Upstash)",
  serverless: "Challenge of serverless: database connections (Upstash)",
  reconnect: "Frequent reconnections improved by a connection manager (YugabyteDB)",
  lambda: "Lambda optimization tip: enable HTTP keep-alive (Yan Cui)",
  envoy: "How we use Envoy to improve PHP Redis client performance (Houzz)",
} as const;

/** A claim of an article. */
export interface ArticleClaim {
  readonly text: string;
  /** The article's own number. */
  readonly result: string;
  /** The scenarios whose checks decide it; `[]` if none can. */
  readonly scenarios: readonly string[];
  /** Why no scenario decides it. */
  readonly unmeasured?: string;
}

/** The claims of each article. A check of a scenario names the one that it decides, by both names. */
export const CLAIMS = {
  keepalive: {
    first: {
      text: "The first request takes longer than later ones, on average",
      result: "20x, 43 and 2.2 ms",
      scenarios: ["keepalive"],
    },
    reuse: {
      text: "A kept connection is faster than a new one",
      result: "yes",
      scenarios: ["keepalive", "lambda"],
    },
    recreated: {
      text: "An agent that is recreated in the handler loses the connection",
      result: "yes",
      scenarios: ["keepalive"],
    },
    miss: {
      text: "In a cold call that misses the cache, the SET reuses the connection of the GET",
      result: "yes",
      scenarios: ["cache-miss"],
    },
  },
  serverless: {
    lightweight: {
      text: "A connection per command adds little at the 99th percentile",
      result: "75 us within a zone, 80 us between two",
      scenarios: ["ephemeral"],
    },
    smallFunction: {
      text: "It adds more on a small Lambda function",
      result: "6 to 7 ms at 128 MB, 75 us on a whole machine",
      scenarios: ["memory"],
    },
    advice: {
      text: "Functions of 1 GB or more may open and close the client inside",
      result: "advice",
      scenarios: [],
      unmeasured: "Advice without a number; memory measures 1,024 MB, and advise weighs it.",
    },
    eviction: {
      text: "Evicting idle connections above a soft limit lets fewer be refused",
      result: "a great decrease in rejected connections",
      scenarios: ["fleet"],
    },
    zombie: {
      text: "An idle limit shorter than the instance's lifetime causes errors, a longer one does not",
      result: "ETIMEDOUT at 60 s, none at 310 s",
      scenarios: ["zombie"],
    },
    retry: {
      text: "A client that repeats a timed-out write may apply it twice",
      result: "may",
      scenarios: ["faults"],
    },
    http: {
      text: "A command takes longer over HTTP than over the Redis protocol",
      result: "about 5 ms",
      scenarios: ["distance"],
    },
    finWait: {
      text: "The server's socket of a frozen function stays in FIN_WAIT_2",
      result: "30 s",
      scenarios: [],
      unmeasured: "A proxy closes the connection in the server's place; the function meets the same end.",
    },
  },
  reconnect: {
    anew: {
      text: "A static connection has more throughput than one per command",
      result: "78x, 1,560 and 20 tps",
      scenarios: ["reconnect"],
    },
    pool: {
      text: "A pool in the database recovers a part of it",
      result: "17.5%, from 20 to 290 of 1,560 tps",
      scenarios: ["reconnect"],
    },
    idle: {
      text: "A pool reduces the resources that idle connections use",
      result: "yes",
      scenarios: ["redis-memory"],
    },
    prepared: {
      text: "The pool is as fast with prepared statements",
      result: "277 tps",
      scenarios: [],
      unmeasured: "Redis has no prepared statements.",
    },
  },
  lambda: {
    one: {
      text: "Keep-alive makes one write faster, on average",
      result: "3.3x, 33 and 10 ms",
      scenarios: ["sequential", "end-to-end"],
    },
    ten: {
      text: "It saves more on ten writes than on one",
      result: "120 ms against 23 ms",
      scenarios: ["sequential"],
    },
    across: {
      text: "A connection is reused by later invocations",
      result: "yes",
      scenarios: ["end-to-end"],
    },
    endToEnd: {
      text: "What keep-alive saves on ten writes is seen from outside, behind an API gateway",
      result: "120 ms",
      scenarios: ["end-to-end"],
    },
    sales: {
      text: "Adding 100 ms reduces sales",
      result: "1%",
      scenarios: [],
      unmeasured: "It is about customers.",
    },
  },
  envoy: {
    timeWait: {
      text: "A proxy reduces the sockets in TIME_WAIT",
      result: "95.6%, 70,145 to 3,108",
      scenarios: ["sockets", "time-wait"],
    },
    pileUp: {
      text: "Without it, closed connections pile up in TIME_WAIT",
      result: "70,145 sockets at some 5,000 connections per second",
      scenarios: ["time-wait"],
    },
    topology: {
      text: "Fetching the topology in each request costs as much as a command",
      result: "4 to 5 ms, 100% of one command",
      scenarios: ["request-parts"],
    },
    connect: {
      text: "A proxy next to the process takes the time for connecting away",
      result: "from 5 ms to nearly 0",
      scenarios: ["request-parts"],
    },
    slower: {
      text: "Reads and writes take a bit longer through the proxy",
      result: "a bit",
      scenarios: ["request-parts"],
    },
    sparse: {
      text: "Sparse requests lose most",
      result: "more obvious",
      scenarios: ["request-parts"],
    },
    reuse: {
      text: "net.ipv4.tcp_tw_reuse does not reduce the sockets in TIME_WAIT",
      result: "70,145 remain",
      scenarios: ["tw-reuse"],
    },
    exhausted: {
      text: "As these sockets pile up, new connections fail",
      result: "timeouts after 4 s",
      scenarios: ["tw-reuse"],
    },
    replica: {
      text: "While a replica is down, reads through the proxy fail",
      result: "for some 10 s",
      scenarios: ["replica-down"],
    },
    established: {
      text: "The proxy's kept connections raise the number of open ones at the servers",
      result: "a dramatic increase",
      scenarios: ["established"],
    },
    idleLimit: {
      text: "Half the servers' idle limit lowers it",
      result: "30% less at 150 s instead of 300 s",
      scenarios: ["established"],
    },
    pods: {
      text: "Fewer instances of the application are needed",
      result: "some",
      scenarios: [],
      unmeasured: "The article has no number.",
    },
  },
} as const satisfies Record<keyof typeof ARTICLES, Readonly<Record<string, ArticleClaim>>>;

/** The names of an article's claims. */
export type ClaimName<A extends keyof typeof CLAIMS> = keyof (typeof CLAIMS)[A] & string;

/** A claim with its place among all. */
export interface ListedClaim extends ArticleClaim {
  /** The article's and the claim's names, as `envoy.timeWait`. */
  readonly id: string;
  readonly title: string;
}

/** All claims, article by article. */
export const listedClaims = (): ListedClaim[] =>
  (Object.keys(ARTICLES) as (keyof typeof ARTICLES)[]).flatMap((article) =>
    Object.entries<ArticleClaim>(CLAIMS[article]).map(([name, claim]) => ({
      ...claim,
      id: `${article}.${name}`,
      title: ARTICLES[article],
    })),
  );
