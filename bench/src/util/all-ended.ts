/** Returns the results of promises once all have ended, failed ones too. @throws the error of the first that failed */
export async function allEnded<T extends readonly unknown[]>(promises: T) {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
