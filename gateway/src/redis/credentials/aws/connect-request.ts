import type { RedisUrl } from "../../redis-address.js";

const AWS_SERVICES = ["elasticache", "memorydb"] as const;
type AwsService = (typeof AWS_SERVICES)[number];

/** The request that is signed to get a token of IAM: to connect as a user to one Redis of AWS. */
export type ConnectRequest = ReturnType<typeof connectRequestOf>;

/**
 * Returns the request to sign for a Redis at a URL. What the URL's query does not give is taken from the host's name, and the region
 * from the variables of AWS last.
 * @throws {TypeError} that begins with the name of a setting, if a part of it is missing
 */
export function connectRequestOf(
  url: Pick<RedisUrl, "addresses" | "aws" | "username">,
  environment: NodeJS.ProcessEnv = process.env,
) {
  const { aws, username } = url;
  const derived = derivedFrom(url.addresses[0]?.host ?? "");
  const service = aws.service || derived?.service;
  const name = aws.name || derived?.name;
  const region = aws.region || derived?.region || environment.AWS_REGION || environment.AWS_DEFAULT_REGION;
  if (username === "")
    throw new TypeError("redisAuth: aws-iam needs a user in the URL, as in rediss://user@host:6379");
  if (!isService(service)) throw missing("awsService", "must be elasticache or memorydb");
  if (!name || !NAME.test(name)) throw missing("awsName", "must be the name of the cache or cluster");
  if (!region || !REGION.test(region)) throw missing("awsRegion", "must be a region such as eu-west-1");
  const serverless = aws.serverless ?? derived?.serverless ?? false;
  // ElastiCache keeps the names of users, and both services those of caches and clusters, in lower case.
  const user = service === "elasticache" ? username.toLowerCase() : username;
  return {
    service,
    /** The name of the replication group, the serverless cache or the cluster of MemoryDB. */
    name: name.toLowerCase(),
    user,
    region,
    serverless,
  };
}

/** The name is the host of the signed request, so it has no other characters. */
const NAME = /^[a-z][a-z0-9-]*$/i;
const REGION = /^[a-z]{2,}(-[a-z]+)+-\d+$/;

function missing(part: string, rule: string): TypeError {
  return new TypeError(`redis: ?${part}= in the URL ${rule}, since the host does not say it`);
}

function isService(text: string | undefined): text is AwsService {
  return AWS_SERVICES.includes(text as AwsService);
}

/** The beginnings of host names of AWS, ahead of `.amazonaws.com`: the name and the region are in parentheses. */
const HOSTS: readonly (readonly [service: AwsService, serverless: boolean, pattern: RegExp])[] = [
  // clustercfg.orders.a1b2c3.memorydb.eu-west-1
  ["memorydb", false, /^[a-z0-9-]+\.([a-z0-9-]+)\.[a-z0-9]{6}\.memorydb\.([a-z0-9-]+)$/],
  // orders-a1b2c3.serverless.euw1.cache, orders-a1b2c3.public.serverless.euw1.cache
  ["elasticache", true, /^([a-z0-9-]+)-[a-z0-9]{6}\.(?:public\.)?serverless\.([a-z0-9]+)\.cache$/],
  // clustercfg.orders.a1b2c3.euw1.cache, master.orders.a1b2c3.euw1.cache
  ["elasticache", false, /^[a-z0-9-]+\.([a-z][a-z0-9-]*)\.[a-z0-9]{6}\.([a-z0-9]+)\.cache$/],
];

/** Reads what has to be signed from a host name of AWS. Returns null for other names. `region` may be undefined. */
function derivedFrom(host: string) {
  const [, begin = ""] = /^(.*)\.amazonaws\.com(?:\.cn)?$/.exec(host.toLowerCase()) ?? [];
  for (const [service, serverless, pattern] of HOSTS) {
    const [, name, region] = pattern.exec(begin) ?? [];
    if (name && region) return { service, serverless, name, region: regionOf(region) };
  }
  return null;
}

const DIRECTIONS: Readonly<Record<string, string>> = { n: "north", e: "east", s: "south", w: "west" };

/** Returns the region for its short form in names of hosts: `euw1` is `eu-west-1`. */
function regionOf(code: string): string | undefined {
  if (code.includes("-")) return code;
  const [, area, letters = "", number] = /^([a-z]{2})([nsew]{1,2}|c)(\d)$/.exec(code) ?? [];
  const direction = letters === "c" ? "central" : [...letters].map((letter) => DIRECTIONS[letter]).join("");
  return direction && `${area}-${direction}-${number}`;
}
