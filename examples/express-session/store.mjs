import session from "express-session";

/** Sessions in Redis, each a key that lives as long as its cookie. */
export class WarmlineStore extends session.Store {
  #redis;
  #prefix;
  #ttl;

  /** @param options `prefix` of the keys; `ttl` in seconds of sessions whose cookie has no lifetime. */
  constructor(redis, { prefix = "session:", ttl = 86_400 } = {}) {
    super();
    // If a response is lost, the write is sent again. Writing a session twice is the same as once.
    this.#redis = redis.with({ writes: "at-least-once" });
    this.#prefix = prefix;
    this.#ttl = ttl;
  }

  get(id, done) {
    settle(this.#redis.get(this.#key(id)), done);
  }

  set(id, data, done) {
    settle(this.#redis.set(this.#key(id), data, { ex: this.#lifetime(data) }), done);
  }

  touch(id, data, done) {
    settle(this.#redis.expire(this.#key(id), this.#lifetime(data)), done);
  }

  destroy(id, done) {
    settle(this.#redis.del(this.#key(id)), done);
  }

  #key(id) {
    return this.#prefix + id;
  }

  #lifetime({ cookie }) {
    const ms = cookie?.originalMaxAge;
    return ms ? Math.max(1, Math.ceil(ms / 1000)) : this.#ttl;
  }
}

function settle(promise, done = () => {}) {
  promise.then((value) => done(null, value), done);
}
