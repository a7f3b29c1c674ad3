/** Counts over the life of an upstream. */
export interface UpstreamCounters {
  /** Connections to Redis that were opened and replied. */
  opened: number;
  /** Connections to Redis that ended other than by being closed here. */
  lost: number;
  /** Commands written. */
  commands: number;
  /** Commands that got no reply in time, written or not. */
  timeouts: number;
  /** Times that a node of a cluster sent a command elsewhere. */
  redirected: number;
  /** Times that a read which failed was sent again, or a command that was not executed. */
  repeated: number;
  /** Times that a node of a cluster was passed over because it failed. */
  ejected: number;
  /** Times that the topology of a cluster, or the primary of a Sentinel's group, changed. */
  topologyChanges: number;
}

/** Returns counters at zero. */
export function newCounters(): UpstreamCounters {
  return {
    opened: 0,
    lost: 0,
    commands: 0,
    timeouts: 0,
    redirected: 0,
    repeated: 0,
    ejected: 0,
    topologyChanges: 0,
  };
}
