/** A price list; dollars. Lists change: each has the month in which it was read. */
export const PRICES = {
  /** AWS Lambda, x86, us-east-1, first tier; requests are per million. */
  lambda: { perGbSecond: 0.000_016_666_7, perMillionRequests: 0.2, readIn: "2026-11" },
  /** Upstash Redis, pay as you go: commands are per 100,000, bandwidth beyond the free 200 GB a month per GB. */
  upstash: { per100kCommands: 0.2, perGb: 0.03, readIn: "2026-11" },
  /** Data transfer out of AWS, us-east-1, to the internet, first tier; within a region it costs less or nothing. */
  egress: { perGb: 0.09, readIn: "2026-11" },
  /** A gateway on AWS: Fargate on ARM by the hour, and a network load balancer without its units of load; us-east-1. */
  gateway: { perVcpuHour: 0.032_38, perGbHour: 0.003_56, perBalancerHour: 0.022_5, readIn: "2026-04" },
} as const;

/** The share of invocations that start an instance, where a million are priced. */
export const COLD_SHARE = 0.01;

/** The gateway that is priced: that of gateway/deploy/ecs.yaml. */
export const GATEWAY = { tasks: 2, vcpus: 0.5, gb: 1 } as const;

const HOURS_PER_MONTH = 730;

/** Returns the dollars of a month of {@link GATEWAY}, whatever its load. */
export function costOfGateway(): number {
  const { perVcpuHour, perGbHour, perBalancerHour } = PRICES.gateway;
  const task = GATEWAY.vcpus * perVcpuHour + GATEWAY.gb * perGbHour;
  return HOURS_PER_MONTH * (GATEWAY.tasks * task + perBalancerHour);
}

/** One invocation, as it is billed. */
export interface BilledInvocation {
  /** Billed duration in ms. */
  readonly ms: number;
  /** The function's memory in MB. */
  readonly memoryMb: number;
  /** Commands sent to Redis. */
  readonly commands: number;
  /** Bytes sent by Redis. */
  readonly bytes: number;
  /** Bytes that the function sends over the internet. Default 0. */
  readonly sent?: number;
}

/**
 * Returns the dollars of a million such invocations by {@link PRICES}: duration and requests on AWS Lambda; commands and bandwidth
 * at Upstash, beyond its free quotas; data transfer out of AWS, where Redis is reached over the internet.
 */
export function costOfMillion({ ms, memoryMb, commands, bytes, sent = 0 }: BilledInvocation) {
  const { lambda, upstash, egress } = PRICES;
  const gbSeconds = (ms / 1_000) * (memoryMb / 1_024) * 1e6;
  return {
    lambda: gbSeconds * lambda.perGbSecond + lambda.perMillionRequests,
    redis: ((commands * 1e6) / 1e5) * upstash.per100kCommands + ((bytes * 1e6) / 1e9) * upstash.perGb,
    egress: ((sent * 1e6) / 1e9) * egress.perGb,
  };
}
