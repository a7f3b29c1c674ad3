/** Tells the operator where the gateway failed; the message is left out, since it might quote a value. */
export function warn(error: unknown): void {
  const { name, stack = "" } = error instanceof Error ? error : new Error();
  const where = /^\s+at .*$/m.exec(stack)?.[0].trim() ?? "";
  process.emitWarning(`a request failed inside the gateway: ${name} ${where}`);
}
