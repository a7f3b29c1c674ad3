import { Fifo } from "./fifo.js";

/** Time in ms after which {@link SlicedWork} lets requests proceed. */
const MAX_WORK_TIME = 2;

/**
 * Does long work that belongs to no single request, a few milliseconds in each iteration of the event loop. Its jobs take turns, one
 * step each, so that a long job does not delay the others.
 */
export class SlicedWork {
  /** Each makes one step of its work, and returns whether there are more. */
  readonly #jobs = new Fifo<() => boolean>();

  /** Runs `steps` to their end, in turn with other work. Resolves with their result. */
  run<T>(steps: Iterator<unknown, T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#jobs.push(() => {
        try {
          const { done, value } = steps.next();
          if (done) resolve(value);
          return !done;
        } catch (error) {
          reject(error);
          return false;
        }
      });
      if (this.#jobs.size === 1) setImmediate(this.#work);
    });
  }

  #work = (): void => {
    const until = performance.now() + MAX_WORK_TIME;
    for (let job = this.#jobs.peek(); job; job = this.#jobs.peek()) {
      const more = job();
      this.#jobs.shift();
      if (more) this.#jobs.push(job);
      if (performance.now() >= until) break;
    }
    if (this.#jobs.size > 0) setImmediate(this.#work);
  };
}
