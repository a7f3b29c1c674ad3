import { setTimeout as pause } from "node:timers/promises";

/** Returns the promise's result. @throws if it takes longer than `limitMs`; `what` begins the message, as "The request" */
export async function within<T>(limitMs: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const expired = () => reject(new Error(`${what} took longer than ${limitMs / 1_000} s.`));
    timer = setTimeout(expired, limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the results of promises once all have ended, failed ones too. @throws the error of the first that failed */
export async function allEnded<T extends readonly unknown[]>(promises: T) {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** Calls `sample` every so often while `run` goes on. Returns its result once both have ended. @throws the error of `run`, else of `sample` */
export async function whileSampling<T>(everyMs: number, sample: () => Promise<void>, run: () => Promise<T>) {
  let over = false;
  const sampling = async () => {
    while (!over) {
      await sample();
      await pause(everyMs);
    }
  };
  const running = run().finally(() => {
    over = true;
  });
  const [result] = await allEnded([running, sampling()] as const);
  return result;
}
