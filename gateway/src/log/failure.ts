/** The facts about an error that may be logged. Its message and cause are left out, since they might quote a value. */
export interface Failure {
  /** The name of its class. */
  readonly error: string;
  /** A code of the system or of Node, such as `ECONNRESET`. */
  readonly code: string | undefined;
  /** Stack frames, the innermost first. */
  readonly at: readonly string[];
}

/** Stack frames of an error that are logged. */
const MAX_FRAMES = 8;

/** Describes an error that the gateway itself made. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { error: typeof error, code: undefined, at: [] };
  const { name, stack = "" } = error;
  const { code } = error as NodeJS.ErrnoException;
  const frames = stack.split("\n").filter((line) => /^\s+at .+:\d+:\d+\)?$/.test(line));
  return {
    error: name,
    code: typeof code === "string" ? code : undefined,
    at: frames.slice(0, MAX_FRAMES).map((line) => line.trim().slice("at ".length)),
  };
}
