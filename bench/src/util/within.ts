/**
 * Returns the promise's result.
 * @param what the start of the error's message, as "The request"
 * @throws if the promise takes longer than `limitMs`
 */
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
