type LookUp = (name: PropertyKey, receiver?: object) => PropertyDescriptor | undefined;

/** Returns an object with the properties for which `lookUp` returns a descriptor. It inherits all others from `prototype`. */
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
 * Returns an object whose properties are created at their first lookup, since most of the 400 methods are never called. From then
 * on they are ordinary properties, which can be detached, spied on, replaced and listed.
 * @param create returns the value of a property, or undefined if there is none.
 * @param taken whether an inherited property of this name wins. Default: any inherited property.
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
 * Returns a prototype whose methods are bound to the object that they are read from, so that they work detached. The prototype's
 * descriptors hold ordinary methods, which test tools can spy on or mock.
 * @param describe returns a function that creates the method of a name for its owner, or undefined if there is no such method.
 * @param isOwner whether methods can be created for an object. For a prototype they can't.
 * @param keeps whether a method becomes an own property of its owner at the first lookup. False if classes may extend the
 * prototype: a method that is looked up by `super` would then hide the subclass's method.
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
