import type {
  RedisOptions,
  UpstashResponse,
  UpstashRequest as WarmlineRequest,
  Requester as WarmlineRequester,
} from "warmline";

/** Options of a client: those of @upstash/redis and of warmline. */
export type RedisConfigNodejs = Omit<RedisOptions, "url" | "token"> & {
  /** UPSTASH_REDIS_REST_URL */
  url: string | undefined;
  /** UPSTASH_REDIS_REST_TOKEN */
  token: string | undefined;
};

/** Options of a client on Cloudflare. */
export type RedisConfigCloudflare = RedisConfigNodejs & { UPSTASH_DISABLE_TELEMETRY?: string };

/** Options of a client on Fastly, whose requests name the backend that they go to. */
export type RedisConfigFastly = RedisConfigNodejs & { backend: string };

/** A request with the properties that @upstash/redis adds for subscriptions. Here they are never set. */
export interface UpstashRequest extends WarmlineRequest {
  upstashSyncToken?: string;
  onMessage?: (data: string) => void;
  isStreaming?: boolean;
}

/** Sends requests to an endpoint and returns its responses. */
export interface Requester extends WarmlineRequester {
  readYourWrites?: boolean;
  upstashSyncToken?: string;
  request: <TResult = unknown>(request: UpstashRequest) => Promise<UpstashResponse<TResult>>;
}
