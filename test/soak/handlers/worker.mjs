// Carries out a plan: lanes that run side by side, each a list of steps, and reports the outcome of every command.
import { Redis } from "warmline";

const redis = Redis.fromEnv({ codec: "text", ...JSON.parse(process.env.CLIENT) });

/** ms that this process has been awake: time that it was frozen does not count. */
let awake = 0;
let last = performance.now();
function tick() {
  const now = performance.now();
  awake += Math.min(now - last, 100);
  last = now;
}

const settlementOf = (error, aborted) =>
  aborted && error === aborted.reason
    ? { outcome: "unknown", error: "aborted" }
    : { outcome: error.outcome ?? "none", error: error.name, message: error.message };

async function settle(calls, aborted) {
  const settled = await Promise.allSettled(calls);
  return settled.map(({ value, reason }) =>
    reason === undefined ? { value } : settlementOf(reason, aborted),
  );
}

async function send({ as, commands, abortAfter }) {
  const aborted = abortAfter === undefined ? undefined : AbortSignal.timeout(abortAfter);
  const client = aborted ? redis.with({ signal: aborted }) : redis;
  if (as === "together")
    return settle(
      commands.map((words) => client.exec(words)),
      aborted,
    );
  const batch = as === "pipeline" ? client.pipeline() : client.multi();
  for (const [name, ...args] of commands) batch[name.toLowerCase()](...args);
  try {
    const kept = await batch.exec({ keepErrors: true });
    return kept.map(({ result, error }) => (error ? settlementOf(error) : { value: result }));
  } catch (error) {
    return commands.map(() => settlementOf(error, aborted));
  }
}

async function run(steps) {
  const done = [];
  for (const step of steps) {
    if (step.pause) await new Promise((resolve) => setTimeout(resolve, step.pause));
    tick();
    const begun = awake;
    const settlements = await send(step);
    tick();
    done.push({ settlements, ms: awake - begun });
  }
  return done;
}

export async function handler(lanes) {
  const ticking = setInterval(tick, 20);
  tick();
  const results = await Promise.all(lanes.map(run));
  clearInterval(ticking);
  return { results, stats: redis.stats() };
}
