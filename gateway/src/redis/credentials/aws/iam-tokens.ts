import { defaultProvider } from "@aws-sdk/credential-provider-node";
import { Sha256 } from "@smithy/core/checksum";
import { escapeUri } from "@smithy/core/protocols";
import { SignatureV4 } from "@smithy/signature-v4";
import type { ConnectRequest } from "./connect-request.js";

/** Time in seconds for which a new connection may use a token. Both services allow no more. */
const LIFETIME = 900;

type Identity = Awaited<ReturnType<ReturnType<typeof defaultProvider>>>;

/**
 * Returns a function that makes a token of IAM and tells for how many ms it can be used. It is signed with the credentials that
 * AWS' own tools find: in the environment and the shared files, at the endpoint of a container (ECS, EKS pod identity), by a web
 * identity, or in the metadata of an instance (IMDSv2).
 */
export function createIamTokens(request: ConnectRequest) {
  // Without a logger, some messages go to the console.
  const logger = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
  const identify = defaultProvider({ clientConfig: { region: request.region }, logger });
  return async () => {
    const identity = await identify();
    const now = new Date();
    const token = await signConnect(request, identity, now);
    // A token ends with the credentials that it was signed with.
    const left = (identity.expiration?.getTime() ?? Number.POSITIVE_INFINITY) - now.getTime();
    return { token, lifetime: Math.max(0, Math.min(LIFETIME * 1_000, left)) };
  };
}

/**
 * Signs the request to connect by Signature Version 4 in its query. The token is the URL without its scheme.
 * @see https://docs.aws.amazon.com/AmazonElastiCache/latest/dg/auth-iam.html
 * @see https://docs.aws.amazon.com/memorydb/latest/devguide/auth-iam.html
 */
export async function signConnect(request: ConnectRequest, identity: Identity, now: Date): Promise<string> {
  const { service, name, user, region, serverless } = request;
  const signer = new SignatureV4({ service, region, credentials: identity, sha256: Sha256 });
  const { query } = await signer.presign(
    {
      method: "GET",
      protocol: "https:",
      hostname: name,
      path: "/",
      headers: { host: name },
      query: { Action: "connect", User: user, ...(serverless && { ResourceType: "ServerlessCache" }) },
    },
    { expiresIn: LIFETIME, signingDate: now },
  );
  const pairs = ORDER.flatMap((key) => {
    const value = query?.[key];
    return typeof value === "string" ? [`${key}=${escapeUri(value)}`] : [];
  });
  return `${name}/?${pairs.join("&")}`;
}

/** The order of the query in the tokens of AWS' own tools. */
const ORDER = [
  "Action",
  "User",
  "ResourceType",
  "X-Amz-Algorithm",
  "X-Amz-Credential",
  "X-Amz-Date",
  "X-Amz-Expires",
  "X-Amz-SignedHeaders",
  "X-Amz-Security-Token",
  "X-Amz-Signature",
];
