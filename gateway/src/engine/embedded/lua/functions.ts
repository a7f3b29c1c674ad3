import { RedisCommandError, RedisFunctionRegistry } from "js-redis-server/core";

type Library = ReturnType<RedisFunctionRegistry["list"]>[number];
type Mode = Parameters<RedisFunctionRegistry["restore"]>[1];

/** A library as {@link FunctionLibraries.dump} writes it: its code in base64. */
interface Dumped {
  readonly name: string;
  readonly code: string;
  readonly functions: readonly {
    readonly name: string;
    readonly flags: string[];
    readonly description: string | null;
  }[];
}

/** The libraries of functions. What they registered is kept with them, so that it is known before their code runs again. */
export class FunctionLibraries extends RedisFunctionRegistry {
  readonly #descriptions = new Map<string, string | null>();

  /** Adds a library, or replaces the one of its name. @throws {RedisCommandError} if one of its functions is another one's */
  add(library: Dumped & { readonly replace: boolean }): void {
    const others = this.list().filter(({ name }) => name !== library.name);
    for (const { name } of library.functions) {
      if (others.some(({ functions }) => functions.some((known) => known.name === name)))
        throw new RedisCommandError(`Function ${name} already exists`);
    }
    for (const { name, description } of library.functions) this.#descriptions.set(name, description);
    const code = Buffer.from(library.code, "base64");
    this.load(
      {
        name: library.name,
        code,
        functions: library.functions.map(({ name, flags }) => ({
          name,
          libraryName: library.name,
          flags: [...flags],
          script: code,
        })),
      },
      library.replace,
    );
  }

  descriptionOf(name: string): string | null {
    return this.#descriptions.get(name) ?? null;
  }

  override dump(): Buffer {
    return Buffer.from(JSON.stringify(this.list().map((library) => this.#toDumped(library))));
  }

  /** @throws {RedisCommandError} if the payload is not one of {@link dump}, or a library is there already; then nothing changes */
  override restore(payload: Buffer, mode: Mode): void {
    const before = this.list().map((library) => this.#toDumped(library));
    const libraries = parse(payload);
    try {
      if (mode === "flush") this.clear();
      for (const library of libraries) {
        if (mode === "append" && this.list().some(({ name }) => name === library.name))
          throw new RedisCommandError(`Library ${library.name} already exists`);
        this.add({ ...library, replace: true });
      }
    } catch (error) {
      this.clear();
      for (const library of before) this.add({ ...library, replace: true });
      throw error;
    }
  }

  #toDumped({ name, code, functions }: Library): Dumped {
    return {
      name,
      code: code.toString("base64"),
      functions: functions.map((item) => ({
        name: item.name,
        flags: [...item.flags],
        description: this.descriptionOf(item.name),
      })),
    };
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
