/** Returns the error at the end of the chain of causes: the message of Node's fetch is "fetch failed" whatever happened. */
export function rootCause(error: Error): Error {
  return "message" in Object(error.cause) ? rootCause(error.cause as Error) : error;
}
