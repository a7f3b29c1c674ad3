const { Redis } = require("warmline");

// At module level, as in a function: jest's hooks set the environment after this.
const redis = Redis.fromEnv();

/** The code under test. */
exports.count = (name) => redis.incr(name);
