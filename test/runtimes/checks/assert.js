// Assertions that need nothing of a runtime.

/** @throws unless both print as the same JSON. */
export function equal(actual, expected, what = "the value") {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (got !== wanted) throw new Error(`${what} is ${got}, not ${wanted}`);
}

/** What a promise rejects with. */
export async function rejection(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it did not reject");
}

/** The first of both that settles. @throws when `ms` milliseconds are over before. */
export async function within(ms, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
