import { RedisCommandError, RedisFunctionRegistry } from "js-redis-server/core";
import type { LoadedFunction } from "./runtime.js";

type Library = ReturnType<RedisFunctionRegistry["list"]>[number];
/** A library of the registry. Its functions keep all that they registered. */
type KnownLibrary = Omit<Library, "functions"> & {
  functions: (Library["functions"][number] & LoadedFunction)[];
};
type Mode = Parameters<RedisFunctionRegistry["restore"]>[1];

/** Whether a function has a name, in any case. */
const isNamed = (known: LoadedFunction, name: string) => known.name.toLowerCase() === name.toLowerCase();

/** A library as {@link FunctionLibraries.dump} writes it: its code in base64. */
interface Dumped {
  readonly name: string;
  readonly code: string;
  readonly functions: readonly LoadedFunction[];
}

/** The libraries of functions. What they registered is kept with them, so that it is known before their code runs again. */
export class FunctionLibraries extends RedisFunctionRegistry {
  /** Adds a library, or replaces the one of its name. @throws {RedisCommandError} if another library has one of its functions */
  add(name: string, code: Buffer, functions: readonly LoadedFunction[]): void {
    const others = this.list().filter((library) => library.name !== name);
    for (const added of functions) {
      if (others.some((library) => library.functions.some((known) => isNamed(known, added.name))))
        throw new RedisCommandError(`Function ${added.name} already exists`);
    }
    const definitions = functions.map((item) => ({
      ...item,
      flags: [...item.flags],
      libraryName: name,
      script: code,
    }));
    this.load({ name, code, functions: definitions }, true);
  }

  override findFunction(name: string): ReturnType<RedisFunctionRegistry["findFunction"]> {
    const exact = super.findFunction(name);
    if (exact) return exact;
    const functions = this.list().flatMap((library) => library.functions);
    return functions.find((known) => isNamed(known, name)) ?? null;
  }

  override list(): KnownLibrary[] {
    return super.list() as KnownLibrary[];
  }

  override dump(): Buffer {
    const libraries = this.list().map(({ name, code, functions }) => ({
      name,
      code: code.toString("base64"),
      functions: functions.map(({ name, flags, description }) => ({ name, flags, description })),
    }));
    return Buffer.from(JSON.stringify(libraries satisfies Dumped[]));
  }

  /** @throws {RedisCommandError} if the payload is not one of {@link dump}, or a library is there already; then nothing changes */
  override restore(payload: Buffer, mode: Mode): void {
    const before = this.list();
    const libraries = parse(payload);
    try {
      if (mode === "flush") this.clear();
      for (const { name, code, functions } of libraries) {
        if (mode === "append" && this.list().some((library) => library.name === name))
          throw new RedisCommandError(`Library ${name} already exists`);
        this.add(name, Buffer.from(code, "base64"), functions);
      }
    } catch (error) {
      this.clear();
      for (const { name, code, functions } of before) this.add(name, code, functions);
      throw error;
    }
  }
}

function parse(payload: Buffer): Dumped[] {
  try {
    const libraries = JSON.parse(payload.toString()) as Dumped[];
    for (const { name, code, functions } of libraries)
      if (typeof name !== "string" || typeof code !== "string" || !Array.isArray(functions))
        throw new Error();
    return libraries;
  } catch {
    throw new RedisCommandError("DUMP payload version or checksum are wrong");
  }
}
