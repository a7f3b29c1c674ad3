import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type ConnectRequest,
  connectRequestOf,
} from "../../../../../gateway/src/redis/credentials/aws/connect-request.js";
import { signConnect } from "../../../../../gateway/src/redis/credentials/aws/iam-tokens.js";
import { parseRedisUrl } from "../../../../../gateway/src/redis/redis-address.js";

interface Fixture {
  readonly request: ConnectRequest;
  readonly session: string | null;
  readonly token: string;
}

/** Made by AWS' own tools: see make_tokens.py. */
const fixtures = JSON.parse(readFileSync(join(import.meta.dirname, "tokens.json"), "utf8"));

test.each((fixtures.tokens as Fixture[]).map((fixture) => [fixture.token.slice(0, 60), fixture] as const))(
  "the token %s... is that of AWS' own tools, byte for byte",
  async (_begin, { request, session, token }) => {
    const { accessKeyId, secretAccessKey, time } = fixtures;
    const identity = { accessKeyId, secretAccessKey, sessionToken: session ?? undefined };
    expect(await signConnect(request, identity, new Date(time))).toBe(token);
  },
);

describe("what is signed", () => {
  const requestOf = (url: string, environment = {}) => connectRequestOf(parseRedisUrl(url), environment);

  test.each([
    [
      "rediss://default.iam-user@my-cache-x2e9hv.public.serverless.use1.cache.amazonaws.com:6379",
      {
        service: "elasticache",
        name: "my-cache",
        region: "us-east-1",
        serverless: true,
        user: "default.iam-user",
      },
    ],
    [
      "rediss://app@orders-a1b2c3.serverless.apne1.cache.amazonaws.com",
      { service: "elasticache", name: "orders", region: "ap-northeast-1", serverless: true, user: "app" },
    ],
    [
      "rediss://App@clustercfg.orders.a1b2c3.euc1.cache.amazonaws.com?cluster=true",
      { service: "elasticache", name: "orders", region: "eu-central-1", serverless: false, user: "app" },
    ],
    [
      "rediss://app@master.my-orders.a1b2c3.use2.cache.amazonaws.com",
      { service: "elasticache", name: "my-orders", region: "us-east-2", serverless: false, user: "app" },
    ],
    [
      "rediss://app@clustercfg.orders.a1b2c3.memorydb.eu-west-1.amazonaws.com",
      { service: "memorydb", name: "orders", region: "eu-west-1", serverless: false, user: "app" },
    ],
  ])("the host of %s contains every part of the request", (url, request) => {
    expect(requestOf(url)).toEqual(request);
  });

  test("the URL's query counts before the host", () => {
    const url = "rediss://app@orders-a1b2c3.serverless.use1.cache.amazonaws.com";
    const query = "?awsName=Third&awsRegion=eu-north-1&awsService=elasticache&awsServerless=false";
    expect(requestOf(`${url}/0${query}`)).toEqual({
      service: "elasticache",
      name: "third",
      region: "eu-north-1",
      serverless: false,
      user: "app",
    });
  });

  test("for another host, as of a tunnel, the query and the variables of AWS have the parts", () => {
    const url = "rediss://app@redis.internal?awsName=orders&awsService=elasticache&awsServerless=true";
    const request = requestOf(url, { AWS_REGION: "sa-east-1" });
    expect(request).toMatchObject({ name: "orders", region: "sa-east-1", serverless: true });
    const other = requestOf(url, { AWS_DEFAULT_REGION: "sa-east-1" });
    expect(other.region).toBe("sa-east-1");
  });

  test.each([
    [
      "rediss://orders-a1b2c3.serverless.use1.cache.amazonaws.com",
      /^redisAuth: aws-iam needs a user in the URL/,
    ],
    ["rediss://app@redis.internal", /^redis: \?awsService= in the URL must be elasticache or memorydb/],
    ["rediss://app@redis.internal?awsService=memorydb", /^redis: \?awsName= /],
    ["rediss://app@redis.internal?awsService=memorydb&awsName=a/b", /^redis: \?awsName= /],
    ["rediss://app@redis.internal?awsService=memorydb&awsName=a", /^redis: \?awsRegion= /],
    ["rediss://app@orders-a1b2c3.serverless.use1.cache.amazonaws.com/0?awsRegion=x", /^redis: \?awsRegion= /],
  ])("%s is refused, since a part is missing or malformed", (url, message) => {
    expect(() => requestOf(url)).toThrow(message);
  });
});
