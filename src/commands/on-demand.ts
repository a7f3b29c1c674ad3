type LookUp = (name: PropertyKey, receiver?: object) => PropertyDescriptor | undefined;

/** An object that has a property if `lookUp` returns its descriptor, and inherits what else there is. */
const lazyObject = (prototype: object, lookUp: LookUp, names: () => string[]): object =>
  new Proxy(Object.create(prototype) as object, {
    get(_, name, receiver) {
      const found = lookUp(name, receiver);
      return found ? found.value : Reflect.get(prototype, name, receiver);
    },
    has: (_, name) => name in prototype || lookUp(name) !== undefined,
    getOwnPropertyDescriptor: (_, name) => lookUp(name),
    ownKeys: names,
  });

// `await` reads `then`. No command has this name, and a lookup that fails would create every group.
const mayBeMethod = (name: PropertyKey): name is string => typeof name === "string" && name !== "then";

const property = (value: unknown): PropertyDescriptor => ({
  value,
  writable: true,
  configurable: true,
  enumerable: true,
});

/**
 * An object whose properties are created at the first lookup, and are ordinary ones from then on: they can be
 * taken out, spied on, replaced and listed. 400 methods, most of them never called, cost nothing until then.
 * @param prototype what it inherits from.
 * @param create returns the value of a name, or undefined where there is none.
 * @param names all of those names.
 * @param taken whether what is inherited by a name wins; by default whatever there is.
 */
export function onDemand(
  prototype: object,
  create: (name: string) => unknown,
  names: () => readonly string[],
  taken = (name: string) => name in prototype,
): object {
  const lookUp = (name: PropertyKey): PropertyDescriptor | undefined => {
    if (!mayBeMethod(name) || taken(name)) return undefined;
    const value = Object.hasOwn(made, name) ? undefined : create(name);
    if (value !== undefined) Object.defineProperty(made, name, property(value));
    return Object.getOwnPropertyDescriptor(made, name);
  };
  const made: object = Object.create(
    lazyObject(prototype, lookUp, () => names().filter((name) => !taken(name))),
  );
  return made;
}

/**
 * A prototype whose methods are bound to the object that they are read from, so that they work detached from it. Test tools,
 * which read the descriptors of a prototype, find ordinary methods to spy on or to mock.
 * @param describe returns what makes the method of a name for its owner, or undefined where there is none.
 * @param names all of those names.
 * @param isOwner whether an object has what methods are made of: a prototype has not.
 * @param keeps whether an object keeps a method that was looked up as its own. Not where a class may extend the prototype: what
 * its `super` looks up would hide its own methods.
 */
export function boundPrototype<T extends object>(
  describe: (name: string) => ((owner: T) => unknown) | undefined,
  names: () => string[],
  isOwner: (object: object) => boolean,
  keeps = false,
): object {
  return lazyObject(
    Object.prototype,
    (name, receiver) => {
      const make = mayBeMethod(name) && !(name in Object.prototype) ? describe(name) : undefined;
      if (!make) return undefined;
      const owned = receiver && isOwner(receiver);
      const value = make((owned ? receiver : {}) as T);
      if (owned && keeps)
        Object.defineProperty(receiver, name, { value, writable: true, configurable: true });
      if (owned || typeof value !== "function") return property(value);
      return property(function (this: T, ...args: unknown[]) {
        return (make(this) as typeof value)(...args);
      });
    },
    names,
  );
}
