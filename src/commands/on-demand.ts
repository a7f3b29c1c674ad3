/**
 * An object whose properties are created at the first lookup, and are ordinary ones from then on: they can be
 * taken out, spied on, replaced and listed. 400 methods, most of them never called, cost nothing until then.
 * @param prototype what it inherits from.
 * @param describe returns the property of a name, or undefined where there is none.
 * @param names all of those names.
 * @param taken whether what is inherited by a name wins; by default whatever there is.
 */
export function onDemand(
  prototype: object,
  describe: (name: string) => PropertyDescriptor | undefined,
  names: () => readonly string[],
  taken = (name: string) => name in prototype,
): object {
  const lookUp = (name: PropertyKey): PropertyDescriptor | undefined => {
    // `await` reads `then`. No command has this name, and a lookup that fails would create every group.
    if (typeof name !== "string" || name === "then" || taken(name)) return undefined;
    const found = Object.hasOwn(made, name) ? undefined : describe(name);
    if (found) Object.defineProperty(made, name, { ...found, configurable: true, enumerable: true });
    return Object.getOwnPropertyDescriptor(made, name);
  };
  const made: object = Object.create(
    new Proxy(Object.create(prototype) as object, {
      get: (_, name, receiver) => Reflect.get(lookUp(name) ? made : prototype, name, receiver),
      has: (_, name) => name in prototype || lookUp(name) !== undefined,
      getOwnPropertyDescriptor: (_, name) => lookUp(name),
      ownKeys: () => names().filter((name) => !taken(name)),
    }),
  );
  return made;
}

/** A property whose value is made for the object that it is read from, so that a method works detached from it. */
export const boundProperty = <T extends object>(
  name: string,
  make: (owner: T) => unknown,
): PropertyDescriptor => ({
  get(this: T) {
    return make(this);
  },
  set(this: T, value) {
    Object.defineProperty(this, name, { value, writable: true, configurable: true, enumerable: true });
  },
});

/** A property that holds a value, as an assignment makes it; undefined for no value. */
export const valueProperty = (value: unknown): PropertyDescriptor | undefined =>
  value === undefined ? undefined : { value, writable: true };
