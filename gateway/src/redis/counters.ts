/** Counts over the life of an upstream. */
export type UpstreamCounters = ReturnType<typeof newCounters>;

/** Returns counters at zero. */
export function newCounters() {
  return {
    /** Connections to Redis that were opened, and on which Redis replied. */
    opened: 0,
    /** Connections to Redis that ended other than by being closed here. */
    lost: 0,
    /** Commands written. */
    commands: 0,
    /** Commands that got no reply in time, written or not. */
    timeouts: 0,
    /** Times that a node of a cluster sent a command elsewhere. */
    redirected: 0,
    /** Times that a read which failed was sent again, or a command that was not executed. */
    repeated: 0,
    /** Times that a node of a cluster was passed over because it failed. */
    ejected: 0,
    /** Times that the topology of a cluster, or the primary of a Sentinel's group, changed. */
    topologyChanges: 0,
  };
}
