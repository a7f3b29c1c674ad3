import { builtFile } from "../../../util/built-file.js";
import type { LoginSource, NewLogin } from "../credentials.js";
import type { ConnectRequest } from "./connect-request.js";
import type { createIamTokens } from "./iam-tokens.js";

/** Tokens of IAM for ElastiCache and MemoryDB. */
export class AwsIam implements LoginSource {
  readonly isQuick = false;
  readonly description = "redisAuth aws-iam";
  #makeToken: ReturnType<typeof createIamTokens> | null = null;

  constructor(private readonly request: ConnectRequest) {}

  async read(): Promise<NewLogin> {
    this.#makeToken ??= await loadTokens(this.request);
    try {
      const { token, lifetime } = await this.#makeToken();
      return { username: this.request.user, password: token, lifetime };
    } catch (error) {
      throw new Error(`redisAuth: ${reasonOf(error as Error)}`);
    }
  }
}

/** Loads the code that finds credentials and signs requests, a large file that few users need. */
async function loadTokens(request: ConnectRequest) {
  const file = builtFile("aws-iam.js", "the part that signs requests for AWS");
  const { createIamTokens } = (await import(file.href)) as typeof import("./iam-tokens.js");
  return createIamTokens(request);
}

/** Returns why there are no credentials. The message of the error is left out, since it may hold what a server sent. */
function reasonOf(error: Error & { code?: unknown; $metadata?: { httpStatusCode?: number } }): string {
  const { name, code, $metadata } = error;
  const status = $metadata?.httpStatusCode;
  const details = [name, code, status && `status ${status}`].filter(Boolean).join(", ");
  return `AWS credentials could not be loaded from the environment, a container's endpoint or the instance's metadata (${details})`;
}
