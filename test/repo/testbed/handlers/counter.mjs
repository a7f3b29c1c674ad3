let count = 0;

/** Does what the event asks for; `count` tells how often this process was called. */
export const handler = async (event, context) => {
  count++;
  if (event.throw) throw new TypeError(event.throw);
  if (event.stuck) await new Promise(() => {});
  if (event.waitMs) await new Promise((resolve) => setTimeout(resolve, event.waitMs));
  return {
    count,
    event,
    remaining: context.getRemainingTimeInMillis(),
    context: { ...context },
    env: { ...process.env },
    now: Date.now(),
  };
};

let ticks = 0;
setInterval(() => ticks++, 5).unref();
export const ticking = async () => ticks;
