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
  /** The same number in the unit of the check that decides it, for claims with one that can be compared. */
  readonly number?: number;
  /** The scenario whose check decides it. Absent if none can. */
  readonly scenario?: string;
  /** The reason if no scenario decides it. */
  readonly unmeasured?: string;
}

/** The claims of each article. A check of a scenario names the one that it decides, by both names. */
export const CLAIMS = {
  keepalive: {
    first: {
      text: "The first request takes longer than later ones, on average",
      result: "20x, 43 and 2.2 ms",
      number: 20,
      scenario: "keepalive",
    },
    reuse: {
      text: "A kept connection is faster than a new one, on average",
      result: "yes, 2.2 ms on average",
      scenario: "keepalive",
    },
    recreated: {
      text: "An agent that is recreated in the handler loses the connection",
      result: "yes",
      scenario: "keepalive",
    },
    miss: {
      text: "In a cold call that misses the cache, the SET reuses the connection of the GET",
      result: "yes",
      scenario: "sequential",
    },
  },
  serverless: {
    lightweight: {
      text: "A connection per command adds little at the 99th percentile",
      result: "75 us within a zone, 80 us between two",
      number: 0.075,
      scenario: "memory",
    },
    smallFunction: {
      text: "It adds more on a small Lambda function",
      result: "6 to 7 ms at 128 MB, 75 us on a whole machine",
      number: 6.5,
      scenario: "memory",
    },
    advice: {
      text: "Functions of 1 GB or more may open and close the client inside",
      result: "advice",
      unmeasured: "Advice without a number; memory measures 1,024 MB.",
    },
    eviction: {
      text: "Evicting idle connections above a soft limit lets fewer be refused",
      result: "a great decrease in rejected connections",
      scenario: "fleet",
    },
    zombie: {
      text: "An idle limit shorter than the instance's lifetime causes errors, a longer one does not",
      result: "ETIMEDOUT at 60 s, none at 310 s",
      scenario: "zombie",
    },
    retry: {
      text: "A client that repeats a timed-out write may apply it twice",
      result: "may",
      scenario: "faults",
    },
    http: {
      text: "A command takes longer over HTTP than over the Redis protocol",
      result: "about 5 ms",
      number: 5,
      scenario: "keepalive",
    },
    finWait: {
      text: "The server's socket of a frozen function stays in FIN_WAIT_2",
      result: "30 s",
      number: 30,
      scenario: "zombie",
    },
  },
  reconnect: {
    anew: {
      text: "A static connection has more throughput than one per command",
      result: "78x, 1,560 and 20 tps",
      number: 78,
      scenario: "reconnect",
    },
    pool: {
      text: "A pool in the database recovers a part of it",
      result: "17.5%, from 20 to 290 of 1,560 tps",
      number: 0.175,
      scenario: "reconnect",
    },
    idle: {
      text: "A pool reduces the resources that idle connections use",
      result: "yes",
      scenario: "established",
    },
    prepared: {
      text: "The pool is as fast with prepared statements",
      result: "277 tps",
      unmeasured: "Redis has no prepared statements.",
    },
  },
  lambda: {
    one: {
      text: "Keep-alive makes one write faster, on average",
      result: "3.3x, 33 and 10 ms",
      number: 3.3,
      scenario: "sequential",
    },
    ten: {
      text: "It saves more on ten writes than on one",
      result: "120 ms against 23 ms",
      number: 97,
      scenario: "sequential",
    },
    across: {
      text: "A connection is reused by later invocations",
      result: "yes",
      scenario: "sequential",
    },
    endToEnd: {
      text: "What keep-alive saves on ten writes is seen from outside, behind an API gateway",
      result: "120 ms",
      number: 120,
      scenario: "sequential",
    },
    sales: {
      text: "Adding 100 ms reduces sales",
      result: "1%",
      unmeasured: "It is about customers.",
    },
  },
  envoy: {
    timeWait: {
      text: "A proxy reduces the sockets in TIME_WAIT",
      result: "95.6%, 70,145 to 3,108",
      scenario: "time-wait",
    },
    pileUp: {
      text: "Without it, closed connections pile up in TIME_WAIT",
      result: "70,145 sockets at some 5,000 connections per second",
      scenario: "time-wait",
    },
    topology: {
      text: "Fetching the topology in each request costs as much as a command",
      result: "4 to 5 ms, 100% of one command",
      number: 1,
      scenario: "request-parts",
    },
    connect: {
      text: "A proxy next to the process takes the time for connecting away",
      result: "from 5 ms to nearly 0",
      scenario: "request-parts",
    },
    slower: {
      text: "Reads and writes take a bit longer through the proxy",
      result: "a bit",
      scenario: "request-parts",
    },
    sparse: {
      text: "Sparse requests lose most",
      result: "more obvious",
      scenario: "request-parts",
    },
    reuse: {
      text: "net.ipv4.tcp_tw_reuse does not reduce the sockets in TIME_WAIT",
      result: "70,145 remain",
      number: 1,
      scenario: "time-wait",
    },
    exhausted: {
      text: "As these sockets pile up, new connections fail",
      result: "timeouts after 4 s",
      scenario: "time-wait",
    },
    replica: {
      text: "While a replica is down, reads through the proxy, which repeats none, fail",
      result: "for some 10 s",
      number: 10,
      scenario: "replica-down",
    },
    established: {
      text: "The proxy's kept connections raise the number of open ones at the servers",
      result: "a dramatic increase",
      scenario: "established",
    },
    idleLimit: {
      text: "Half the servers' idle limit lowers it",
      result: "30% less at 150 s instead of 300 s",
      number: 0.3,
      scenario: "established",
    },
    pods: {
      text: "Fewer instances of the application are needed",
      result: "some",
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
