/** What tests and benches stand on: a function instance, a network path, Redis servers, certificates, a gateway. */

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
} from "./path/behaviour.js";
export { blackhole } from "./path/behaviours/blackhole";
export { closeBeforeReply } from "./path/behaviours/close-before-reply.js";
export { cutReply } from "./path/behaviours/cut-reply.js";
export { delayReply } from "./path/behaviours/delay-reply.js";
export type { Ending } from "./path/behaviours/ending.js";
export { extraBytes } from "./path/behaviours/extra-bytes";
export { halfOpen } from "./path/behaviours/half-open.js";
export { type IdleReaperOptions, idleReaper } from "./path/behaviours/idle-reaper.js";
export { loseFin } from "./path/behaviours/lose-fin.js";
export { loseReply } from "./path/behaviours/lose-reply.js";
export { type ResetMoment, reset } from "./path/behaviours/reset.js";
export { httpResponse, proxyError, type RewriteOptions, rewrite } from "./path/behaviours/rewrite.js";
export { type SlowOptions, slow } from "./path/behaviours/slow.js";
export type { Destination, Link } from "./path/link.js";
export { type Path, type PathOptions, startPath } from "./path/path.js";
export { freePorts } from "./ports.js";
export { type ClusterNode, type ClusterOptions, type RedisCluster, startCluster } from "./redis/cluster.js";
export { connectRedis, type RedisConnection } from "./redis/connection.js";
export { type FakeCommand, type FakeFate, type FakeRedis, startFakeRedis } from "./redis/fake.js";
export { findRedisServer, NO_REDIS, redisAvailable } from "./redis/find.js";
export { type Resp, RespError } from "./redis/resp.js";
export { type RedisGroup, type SentinelOptions, startSentinels } from "./redis/sentinel.js";
export { type RedisServer, type RedisServerOptions, startRedis } from "./redis/server.js";
export { type Certificate, makeCertificate } from "./tls/certificate.js";
