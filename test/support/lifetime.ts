import { afterAll, beforeAll, beforeEach, onTestFinished } from "vitest";

type Closable = { close(): unknown } | { stop(): unknown };

const close = (opened: Closable): unknown => ("close" in opened ? opened.close() : opened.stop());

/**
 * Closes something when the running test ends, after its `afterEach`. What was opened last is closed first. Not for concurrent tests.
 *
 * @returns what was opened, so that the call can wrap the expression that opens it.
 */
export function forTest<T extends Closable>(opened: T): T {
  onTestFinished(async () => {
    await close(opened);
  });
  return opened;
}

/**
 * A `beforeAll` for what the tests of a file or a group share. What its function passes to `shared` is closed after them, the last
 * first, also if a later step of the function fails.
 */
export function beforeTests(open: (shared: <T extends Closable>(opened: T) => T) => Promise<void>): void {
  const all: Closable[] = [];
  beforeAll(() =>
    open((opened) => {
      all.push(opened);
      return opened;
    }),
  );
  afterAll(async () => {
    for (const opened of all.splice(0).reverse()) await close(opened);
  });
}

/**
 * Opens one thing that the tests of a file or a group share, as {@link beforeTests}.
 *
 * @returns what stands for it: its members can be read as soon as it is open. A copy of it by `...` has none of them.
 */
export function sharedByTests<T extends Closable>(open: () => Promise<T>): T {
  let opened: T;
  beforeTests(async (shared) => {
    opened = shared(await open());
  });
  return standIn(() => opened);
}

/** Opens one thing anew for each test of a file or a group, as {@link forTest}. @returns what stands for it, as above. */
export function forEachTest<T extends Closable>(open: () => Promise<T>): T {
  let opened: T;
  beforeEach(async () => {
    opened = forTest(await open());
  });
  return standIn(() => opened);
}

/** Returns an object with the members of what `current` returns. */
function standIn<T extends Closable>(current: () => T): T {
  return new Proxy({} as T, {
    get(_, name) {
      const member = Reflect.get(current(), name);
      return typeof member === "function" ? member.bind(current()) : member;
    },
    set: (_, name, value) => Reflect.set(current(), name, value),
  });
}
