const { Redis } = require("warmline");

/** The code under test: it finds its Redis by the environment, when it is first called. */
let redis;
exports.count = (name) => {
  redis ??= Redis.fromEnv();
  return redis.incr(name);
};
