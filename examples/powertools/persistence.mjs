import { CachePersistenceLayer } from "@aws-lambda-powertools/idempotency/cache";

/**
 * A persistence layer of Powertools' idempotency over HTTP: no VPC, and no connection that a freeze breaks.
 *
 * Its writes are exactly-once. Otherwise, if the response to a record's write is lost, the retry finds that record and takes the event
 * for one in progress.
 * @param options options of CachePersistenceLayer, such as `expiryAttr`.
 */
export function createPersistence(redis, options = {}) {
  const client = redis.with({ writes: "exactly-once", codec: "text" });
  return new CachePersistenceLayer({
    ...options,
    client: {
      get: (name) => client.get(name),
      set: (name, value, { EX, NX } = {}) => client.set(name, value, { ex: EX, ...(NX && { nx: true }) }),
      del: (names) => client.del(...names),
    },
  });
}
