import { describeGatewayKeys } from "../integration/commands/describe-gateway-keys.js";
import { NEEDS_SERVERS, startRedis8 } from "./support/servers.js";

describeGatewayKeys("Redis 8.2", startRedis8, NEEDS_SERVERS);
