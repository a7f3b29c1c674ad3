import fs, { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { startFakeRedis } from "warmline-testbed";
import { createGateway, type Gateway } from "../../../gateway/src/index.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { newFolder } from "../../support/new-folder.js";
import { startServer } from "../../support/start-server.js";
import { call, run } from "./http.js";

/** Whatever holds one of these is a leak. */
const SECRETS = ["hush-secret-key", "hush-session-token", "hush-authorization"];

const folder = newFolder("iam");
const authorization = join(folder, "authorization");
writeFileSync(authorization, "hush-authorization");
let gateway: Gateway | undefined;
/** What the gateway has logged. */
let output = "";
const redis = sharedByTests(() => startFakeRedis());
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  output = "";
});

/** A service of metadata. */
async function serve(respond: (req: IncomingMessage, res: ServerResponse) => void): Promise<string> {
  const { port } = forTest(await startServer(createServer(respond)));
  return `http://127.0.0.1:${port}`;
}

const identity = (id: string, left = 3_600_000) =>
  JSON.stringify({
    Code: "Success",
    Type: "AWS-HMAC",
    AccessKeyId: id,
    SecretAccessKey: "hush-secret-key",
    Token: "hush-session-token",
    Expiration: new Date(Date.now() + left).toISOString(),
  });

/** Without what this machine may have. */
const NOTHING = {
  AWS_ACCESS_KEY_ID: undefined,
  AWS_SECRET_ACCESS_KEY: undefined,
  AWS_SESSION_TOKEN: undefined,
  AWS_PROFILE: undefined,
  AWS_SHARED_CREDENTIALS_FILE: join(folder, "none"),
  AWS_CONFIG_FILE: join(folder, "none"),
  AWS_EC2_METADATA_DISABLED: "true",
};

async function start(env: Record<string, string | undefined>): Promise<Gateway> {
  const query = "awsService=elasticache&awsName=orders&awsRegion=eu-west-1&awsServerless=true";
  for (const [name, value] of Object.entries({ ...NOTHING, ...env })) vi.stubEnv(name, value);
  const write = fs.writeSync;
  vi.spyOn(fs, "writeSync").mockImplementation(((fd: number, ...rest: [never]) => {
    if (fd !== 2) return write(fd, ...rest);
    output += String(rest[0]);
    return Buffer.byteLength(String(rest[0]));
  }) as typeof fs.writeSync);
  gateway = await createGateway({
    redis: `redis://App@127.0.0.1:${redis.port}?${query}`,
    port: 0,
    redisAuth: "aws-iam",
    logLevel: "debug",
    logRequests: true,
    shutdownTimeout: 0,
  });
  return gateway;
}

/** The access key in the last token that Redis got. */
function lastKey(): string {
  const { args } = redis.applied.findLast(({ name }) => name === "AUTH")!;
  expect(args[1]).toBe("app");
  const token = new URL(`http://${args[2]}`);
  expect(token.hostname).toBe("orders");
  expect(token.searchParams.get("ResourceType")).toBe("ServerlessCache");
  return token.searchParams.get("X-Amz-Credential")!.split("/")[0]!;
}

async function expectNoSecret(at: Gateway, text = ""): Promise<void> {
  const { text: metrics } = await call(at, "/metrics");
  const { text: ready } = await call(at, "/ready");
  expect(output).not.toBe("");
  for (const secret of SECRETS) expect([text, metrics, ready, output].join()).not.toContain(secret);
  expect([text, metrics, ready, output].join()).not.toMatch(/X-Amz-Signature/i);
}

describe("credentials of AWS", () => {
  test.each([
    ["the environment", { AWS_ACCESS_KEY_ID: "AKIDENV", AWS_SECRET_ACCESS_KEY: "hush-secret-key" }],
    ["a container's endpoint of ECS", { AWS_CONTAINER_AUTHORIZATION_TOKEN: "hush-authorization" }],
    ["a container's endpoint of EKS", { AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: authorization }],
  ])("come from %s", async (what, env) => {
    const url = await serve((req, res) => {
      const known = req.headers.authorization === "hush-authorization" && req.url === "/credentials";
      res.writeHead(known ? 200 : 403, { "content-type": "application/json" });
      res.end(known ? identity("AKIDCONTAINER") : "{}");
    });
    const at = await start({ ...env, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/credentials` });
    expect(await run(at, "SET", "k", "v")).toBe("OK");
    expect(lastKey()).toBe(what === "the environment" ? "AKIDENV" : "AKIDCONTAINER");
    await expectNoSecret(at);
  });

  test("come from the metadata of an instance, by the second version", async () => {
    const asked: string[] = [];
    const url = await serve((req, res) => {
      asked.push(`${req.method} ${req.url}`);
      const isToken = req.method === "PUT" && req.url === "/latest/api/token";
      const roles = "/latest/meta-data/iam/security-credentials/";
      if (isToken) res.end("hush-authorization");
      else if (req.headers["x-aws-ec2-metadata-token"] !== "hush-authorization") res.writeHead(401).end();
      else if (req.url === roles) res.end("role");
      else if (req.url === `${roles}role`) res.end(identity("AKIDINSTANCE"));
      else res.writeHead(404).end();
    });
    const env = { AWS_EC2_METADATA_DISABLED: undefined, AWS_EC2_METADATA_SERVICE_ENDPOINT: url };
    const at = await start(env);
    expect(await run(at, "SET", "k", "v")).toBe("OK");
    expect(lastKey()).toBe("AKIDINSTANCE");
    expect(asked[0]).toBe("PUT /latest/api/token");
    await expectNoSecret(at);
  });

  const shared = join(folder, "credentials");
  writeFileSync(
    shared,
    "[default]\naws_access_key_id = AKIDSHARED\naws_secret_access_key = hush-secret-key\n",
  );
  test.each([
    ["SHARED", "the shared files", { AWS_SHARED_CREDENTIALS_FILE: shared }],
    [
      "WEB",
      "a web identity",
      { AWS_WEB_IDENTITY_TOKEN_FILE: authorization, AWS_ROLE_ARN: "arn:aws:iam::1:role/r" },
    ],
  ])("%s: come from %s", async (id, _what, env) => {
    const [key, secret, token, end] = Object.values(JSON.parse(identity(`AKID${id}`))).slice(2);
    const sts = await serve((_req, res) =>
      res.end(
        `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${key}</AccessKeyId>
        <SecretAccessKey>${secret}</SecretAccessKey><SessionToken>${token}</SessionToken><Expiration>${end}</Expiration>
        </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
      ),
    );
    const at = await start({ ...env, AWS_ENDPOINT_URL_STS: sts });
    expect(await run(at, "SET", "k", "v")).toBe("OK");
    expect(lastKey()).toBe(`AKID${id}`);
    await expectNoSecret(at);
  });

  test("that end soon are asked for again, and connections that are open sign in again", async () => {
    let asked = 0;
    const url = await serve((_req, res) => {
      res.setHeader("content-type", "application/json");
      res.end(identity(`AKID${++asked}`, 4_000));
    });
    const at = await start({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/credentials` });
    // By then its connections are open.
    expect(await run(at, "SET", "k", "v")).toBe("OK");
    const before = redis.connectionsOpened;
    await expect.poll(() => Number(lastKey().slice(4))).toBeGreaterThan(2);
    expect(redis.connectionsOpened).toBe(before);
  });

  const refusing = (status: number, body: string) => async () => {
    const url = await serve((_req, res) =>
      res.writeHead(status, { "content-type": "application/json" }).end(body),
    );
    return { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/credentials` };
  };
  test.each([
    [
      "are nowhere",
      async () => ({}),
      /redisAuth: AWS credentials could not be loaded from the environment, a container's endpoint/,
    ],
    [
      "are refused",
      refusing(403, '{"message":"hush-secret-key"}'),
      /redisAuth: AWS credentials could not be loaded/,
    ],
    [
      "are at a service that is slow",
      async () => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: await serve(() => {}) }),
      /redisAuth aws-iam gave no password in time|redisAuth: AWS credentials could not be loaded/,
    ],
  ])("that %s are an error, without a secret", async (_what, environment, details) => {
    const at = await start(await environment());
    const signIns = redis.count("AUTH");
    let text = "";
    // Some services are asked several times before the search is given up.
    const error = async () => {
      const response = await call(at, "/", { body: ["SET", "k", "v"] });
      expect([response.status, response.headers["warmline-outcome"]]).toEqual([503, "unsent"]);
      text += response.text;
      return response.json.error;
    };
    await expect.poll(error).toMatch(details);
    expect(redis.count("AUTH")).toBe(signIns);
    await expectNoSecret(at, text);
  });
});
