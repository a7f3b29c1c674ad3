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
export { carries, combine, onRequest, type Script, type Which } from "./proxy/behaviour.js";
export { blackhole } from "./proxy/behaviours/blackhole.js";
export { closeBeforeReply } from "./proxy/behaviours/close-before-reply.js";
export { cutReply } from "./proxy/behaviours/cut-reply.js";
export { delayReply } from "./proxy/behaviours/delay-reply.js";
export type { Ending } from "./proxy/behaviours/ending.js";
export { extraBytes } from "./proxy/behaviours/extra-bytes.js";
export { type IdleReaperOptions, idleReaper } from "./proxy/behaviours/idle-reaper.js";
export { loseReply } from "./proxy/behaviours/lose-reply.js";
export { type ResetMoment, reset } from "./proxy/behaviours/reset.js";
export { httpResponse, proxyError, type RewriteOptions, rewrite } from "./proxy/behaviours/rewrite.js";
export { type SlowOptions, slow } from "./proxy/behaviours/slow.js";
export { type NetworkProxy, type NetworkProxyOptions, startNetworkProxy } from "./proxy/network-proxy.js";
export type {
  Behaviour,
  Destination,
  Exchange,
  Fault,
  ProxiedConnection,
  ResponsePart,
} from "./proxy/proxied-connection.js";
export { type ClusterNode, type ClusterOptions, type RedisCluster, startCluster } from "./redis/cluster.js";
export { connectRedis, type RedisConnection } from "./redis/connection.js";
export { type FakeAction, type FakeCommand, type FakeRedis, startFakeRedis } from "./redis/fake.js";
export { findProgram, findRedisServer, NO_REDIS } from "./redis/find.js";
export { encodeCommand, type Resp, RespError, RespReader } from "./redis/resp.js";
export { type RedisGroup, type SentinelOptions, startSentinels } from "./redis/sentinel.js";
export { type RedisServer, type RedisServerOptions, startRedis } from "./redis/server.js";
export { slotOf } from "./redis/slot.js";
export {
  type Authority,
  type Certificate,
  type IssueOptions,
  makeAuthority,
  makeCertificate,
} from "./tls/certificate.js";
export { until } from "./until.js";
