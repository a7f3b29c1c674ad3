import session from "express-session";

/** Sessions in Redis, each a key that lives as long as its cookie. */
export class WarmlineStore extends session.Store {
  #redis;
  #prefix;
  #ttl;

  /** @param options `prefix` of the keys; `ttl` in seconds for cookies that live as long as the browser's window. */
  constructor(redis, { prefix = "session:", ttl = 86_400 } = {}) {
    super();
    // A session is written again with every request: should an answer be lost, writing it once more does no harm.
    this.#redis = redis.with({ writes: "at-least-once" });
    this.#prefix = prefix;
    this.#ttl = ttl;
  }

  get(id, done) {
    answer(this.#redis.get(this.#key(id)), done);
  }

  set(id, data, done) {
    answer(this.#redis.set(this.#key(id), data, { ex: this.#lifetime(data) }), done);
  }

  touch(id, data, done) {
    answer(this.#redis.expire(this.#key(id), this.#lifetime(data)), done);
  }

  destroy(id, done) {
    answer(this.#redis.del(this.#key(id)), done);
  }

  #key(id) {
    return this.#prefix + id;
  }

  #lifetime({ cookie }) {
    const ms = cookie?.originalMaxAge;
    return ms ? Math.max(1, Math.ceil(ms / 1000)) : this.#ttl;
  }
}

function answer(promise, done = () => {}) {
  promise.then((value) => done(null, value), done);
}
