/** Stack frames of an error that are logged. */
const MAX_FRAMES = 8;

/**
 * Returns the facts about an error of the gateway itself that may be logged: its name, a code of the system or of
 * Node such as `ECONNRESET`, and stack frames, the innermost first. Its message and cause might quote a value.
 */
export function failureOf(error: unknown) {
  if (!(error instanceof Error)) return { error: typeof error, code: undefined, at: [] };
  const { name, stack } = error;
  const { code } = error as NodeJS.ErrnoException;
  // After the message, which may have lines that look like frames.
  const [text, message] = [String(stack), String(error.message)];
  const lines = text.slice(text.indexOf(message) + message.length).split("\n");
  const frames = lines.filter((line) => /^\s+at .+:\d+:\d+\)?$/.test(line));
  return {
    error: name,
    code: typeof code === "string" ? code : undefined,
    at: frames.slice(0, MAX_FRAMES).map((line) => line.trim().slice("at ".length)),
  };
}
