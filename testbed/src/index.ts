/** Function instances, network proxies, Redis servers, certificates and a gateway process for tests and benches. */

export { type GatewayProcess, type GatewayProcessOptions, startGatewayProcess } from "./gateway/gateway.js";
export {
  type Instance,
  InstanceInitError,
  type InstanceOptions,
  type Invocation,
  startInstance,
} from "./instance/instance.js";
export { findLambdaRic, type LambdaRic } from "./instance/lambda-ric.js";
export type { FunctionError } from "./instance/runtime-api.js";
export { freePorts } from "./ports.js";
export {
  type Behaviour,
  carries,
  combine,
  type Exchange,
  type Fault,
  onRequest,
  type ResponsePart,
  type Script,
  type Which,
} from "./proxy/behaviour";
export { blackhole } from "./proxy/behaviours/blackhole";
export { closeBeforeReply } from "./proxy/behaviours/close-before-reply";
export { cutReply } from "./proxy/behaviours/cut-reply";
export { delayReply } from "./proxy/behaviours/delay-reply";
export type { Ending } from "./proxy/behaviours/ending";
export { extraBytes } from "./proxy/behaviours/extra-bytes";
export { halfOpen } from "./proxy/behaviours/half-open";
export { type IdleReaperOptions, idleReaper } from "./proxy/behaviours/idle-reaper";
export { loseFin } from "./proxy/behaviours/lose-fin";
export { loseReply } from "./proxy/behaviours/lose-reply";
export { type ResetMoment, reset } from "./proxy/behaviours/reset";
export { httpResponse, proxyError, type RewriteOptions, rewrite } from "./proxy/behaviours/rewrite";
export { type SlowOptions, slow } from "./proxy/behaviours/slow";
export type { Destination, Link } from "./proxy/link";
export { type NetworkProxy, type NetworkProxyOptions, startNetworkProxy } from "./proxy/network-proxy";
export { type ClusterNode, type ClusterOptions, type RedisCluster, startCluster } from "./redis/cluster.js";
export { connectRedis, type RedisConnection } from "./redis/connection.js";
export { type FakeAction, type FakeCommand, type FakeRedis, startFakeRedis } from "./redis/fake.js";
export { findRedisServer, NO_REDIS, redisAvailable } from "./redis/find.js";
export { type Resp, RespError } from "./redis/resp.js";
export { type RedisGroup, type SentinelOptions, startSentinels } from "./redis/sentinel.js";
export { type RedisServer, type RedisServerOptions, startRedis } from "./redis/server.js";
export { type Certificate, makeCertificate } from "./tls/certificate.js";
