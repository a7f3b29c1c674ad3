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

/**
 * A prototype whose methods are bound to the object that they are read from, so that they work detached from it. Test tools,
 * which read the descriptors of a prototype, find ordinary methods to spy on or to mock.
 * @param describe returns what makes the method of a name for its owner, or undefined where there is none.
 * @param names all of those names.
 * @param isOwner whether an object has what methods are made of: a prototype has not.
 */
export function boundPrototype<T extends object>(
  describe: (name: string) => ((owner: T) => unknown) | undefined,
  names: () => readonly string[],
  isOwner: (object: object) => boolean,
): object {
  const found = new Map<string, (owner: T) => unknown>();
  const find = (name: PropertyKey) => {
    if (typeof name !== "string" || name === "then" || name in Object.prototype) return undefined;
    const make = found.get(name) ?? describe(name);
    if (make) found.set(name, make);
    return make;
  };
  const unbound = (make: (owner: T) => unknown, prototype: T) => {
    const value = make(prototype);
    if (typeof value !== "function") return value;
    return function (this: T, ...args: unknown[]) {
      return (make(this) as typeof value)(...args);
    };
  };
  const prototype: object = new Proxy({} as T, {
    get(target, name, receiver) {
      const make = find(name);
      if (!make) return Reflect.get(target, name, receiver);
      return isOwner(receiver) ? make(receiver) : unbound(make, target);
    },
    has: (target, name) => name in target || find(name) !== undefined,
    getOwnPropertyDescriptor(target, name) {
      const make = find(name);
      return make && { value: unbound(make, target), writable: true, configurable: true, enumerable: true };
    },
    ownKeys: () => [...names()],
  });
  return prototype;
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
