const TAG = "{tag}";

/**
 * A client whose `keys` all have one hash tag: every argument that is one of them, or is a list or an object with one of
 * them in it, and what comes back is without it.
 */
export function tagged<T extends object>(client: T, keys: readonly string[]): T {
  const tag = (text: string) => (keys.includes(text) ? TAG + text : text);
  const untag = (text: string) => text.replaceAll(TAG, "");
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(value, target, mapped(args, tag) as unknown[]);
        if (result instanceof Promise) return result.then((reply) => mapped(reply, untag));
        return typeof result === "object" && result !== null ? tagged(result, keys) : result;
      };
    },
  });
}

/** A value of the same shape, its texts and names changed. */
function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((each) => mapped(each, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [change(name), mapped(each, change)]),
  );
}
