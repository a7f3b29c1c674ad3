/** Returns the last error in the chain of causes. The first one of Node's fetch says only "fetch failed". */
export function rootCause(error: Error): Error {
  return "message" in Object(error.cause) ? rootCause(error.cause as Error) : error;
}
