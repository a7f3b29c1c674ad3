let count = 0;

/** Does what the event asks for; `count` tells how often this process was called. */
export const handler = async (event, context) => {
  count++;
  if (event.throw) throw new TypeError(event.throw);
  if (event.exit !== undefined) process.exit(event.exit);
  if (event.stuck) await new Promise(() => {});
  if (event.waitMs) await new Promise((resolve) => setTimeout(resolve, event.waitMs));
  if (event.print) console.log(event.print);
  if (event.rejectLater) void Promise.reject(new Error(event.rejectLater));
  if (event.rejectLater) await new Promise((resolve) => setTimeout(resolve, 1_000));
  return {
    count,
    event,
    remaining: context.getRemainingTimeInMillis(),
    context: { ...context },
    env: { ...process.env },
    now: Date.now(),
  };
};

export const callback = (event, _context, done) => {
  setImmediate(() => (event.fail ? done(new Error(event.fail)) : done(null, "called back")));
};

export const notAFunction = 1;

let ticks = 0;
setInterval(() => ticks++, 5).unref();
export const ticking = async () => ticks;
