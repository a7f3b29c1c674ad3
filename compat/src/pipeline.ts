import type { Builders, Commands, Namespaces, ReplyMode, Pipeline as WarmlinePipeline } from "warmline";

/** A command called on a pipeline. It returns the pipeline, with one more result. */
interface Queued<Q extends readonly unknown[]> extends ReplyMode {
  readonly reply: Pipeline<[...Q, this["value"]]>;
}

/** The result of one command with `keepErrors`. The error is text. */
export interface CommandResult<T> {
  result: T;
  error?: string;
}

/** Commands collected now and sent as one request by `exec()`. */
export interface Pipeline<Q extends readonly unknown[] = []>
  extends Commands<Queued<Q>>,
    Namespaces<Queued<Q>>,
    Builders<Queued<Q>> {
  /**
   * Sends the commands.
   * @returns their values, in order.
   * @throws the first error among them.
   */
  exec<R extends readonly unknown[] = [] extends Q ? unknown[] : Q>(): Promise<R>;
  /** Executes the pipeline and keeps errors: each failed command has its error text in its place. */
  exec<R extends readonly unknown[] = [] extends Q ? unknown[] : Q>(options: {
    keepErrors: true;
  }): Promise<{ [I in keyof R]: CommandResult<R[I]> }>;
  /** Returns the number of collected commands. */
  length(): number;
}

/** Returns a pipeline whose kept errors are text, as in @upstash/redis. */
export function withErrorsAsText(pipeline: WarmlinePipeline): Pipeline {
  const { exec } = pipeline;
  const execAsText = async (options?: { keepErrors?: boolean }): Promise<unknown[]> => {
    if (!options?.keepErrors) return exec();
    const kept = await exec({ keepErrors: true });
    return (kept as { result?: unknown; error?: Error }[]).map(({ result, error }) =>
      // Without the command's name, which the client appends.
      error ? { error: error.message.replace(/ \(command: [^()]*\)$/, "") } : { result },
    );
  };
  return Object.assign(pipeline, { exec: execAsText }) as unknown as Pipeline;
}
