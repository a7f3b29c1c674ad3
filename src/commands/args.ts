import { unknownOption } from "../options/option-names.js";
import {
  type CommandArg,
  describe,
  hasNoProperties,
  InvalidArgument,
  isBytes,
  lacksJson,
  toScalarArg,
  toValueArg,
} from "../protocol/args.js";
import type { Encode, EncodeArgs } from "./spec.js";

/**
 * Checks one argument of a method and appends what it adds to the command's arguments.
 * @throws InvalidArgument unless the argument has the shape that the command takes.
 */
export interface ArgEncoder {
  (out: CommandArg[], given: any, encode: Encode): void;
  /** The names of the options that it reads, if the argument is an object of options. */
  readonly names?: (() => readonly string[]) | undefined;
  /** Whether it encodes all arguments from here on, as one array. */
  readonly gathers?: boolean | undefined;
  /** The least number of arguments from here on, if it encodes each of them. */
  readonly min?: 0 | 1 | undefined;
}

/** A key, a field, an id, a number, a keyword of Redis's: sent as it is. */
export const scalar: ArgEncoder = (out, given) => {
  out.push(toScalarArg(given));
};

/** A value, through the codec. */
export const stored: ArgEncoder = (out, given, encode) => {
  out.push(toValueArg(encode(given)));
};

/** A value that the codec does not see: text as it is, objects and arrays as JSON. */
export const json: ArgEncoder = (out, given) => {
  out.push(toValueArg(given));
};

/** Gives a function the properties of an encoder. */
const withTraits = (run: ArgEncoder, traits: Partial<ArgEncoder>): ArgEncoder => Object.assign(run, traits);

/** An argument that may be left out. */
export const optional = (encoder: ArgEncoder): ArgEncoder =>
  withTraits((out, given, encode) => {
    if (given !== undefined) encoder(out, given, encode);
  }, encoder);

/** This argument and all that follow, as one array. */
export const gathered = (encoder: ArgEncoder): ArgEncoder =>
  withTraits(encoder.bind(null), { gathers: true });

/** As {@link gathered}, with the items of each argument that is an array in its place. */
export const flattened = (encoder: ArgEncoder): ArgEncoder =>
  gathered((out, given, encode) => encoder(out, given.flat(), encode));

/** This argument and all that follow, at least `min`, each by the same encoder. */
export const rest = (encoder: ArgEncoder, min: 0 | 1 = 1): ArgEncoder =>
  withTraits(strict(encoder).bind(null), { min });

/** An argument that has a default. */
export const defaulting =
  (value: string | number): ArgEncoder =>
  (out, given) => {
    out.push(toScalarArg(given === undefined ? value : given));
  };

/** By one encoder or the other, as `test` says of the argument. */
export const either = (test: (given: any) => boolean, yes: ArgEncoder, no: ArgEncoder): ArgEncoder => {
  const [onYes, onNo] = [strict(yes), strict(no)];
  return (out, given, encode) => (test(given) ? onYes : onNo)(out, given, encode);
};

/** An array, each of its items by the same encoder. */
export const array = (encoder: ArgEncoder): ArgEncoder => {
  const each = strict(encoder);
  return (out, given, encode) => {
    if (!Array.isArray(given)) throw new InvalidArgument(`is ${kindOf(given)}, not an array`);
    for (let i = 0; i < given.length; i++) located(`[${i}]`, each, out, given[i], encode);
  };
};

/** One, or an array of them. */
const oneOrMany = (encoder: ArgEncoder): ArgEncoder => {
  const many = array(encoder);
  return (out, given, encode) => (Array.isArray(given) ? many : encoder)(out, given, encode);
};

/** A key, field or the like, or an array of them. */
export const scalars = oneOrMany(scalar);

/** A value, or an array of values. */
export const storedEach = oneOrMany(stored);

/** The number of groups of `size` arguments that the encoder adds, then these. */
export const counting =
  (encoder: ArgEncoder, size = 1): ArgEncoder =>
  (out, given, encode) => {
    const at = out.length;
    out.push("");
    encoder(out, given, encode);
    out[at] = String((out.length - at - 1) / size);
  };

/** The number of elements, then each element. */
export const counted = counting(scalars);

/** An object as name and value in turn, the values by `encoder`. */
export const record = (encoder: ArgEncoder): ArgEncoder => {
  const each = strict(encoder);
  return (out, given, encode) => {
    for (const name of Object.keys(plainObject(given, "an object"))) {
      out.push(toScalarArg(name));
      located(`.${name}`, each, out, given[name], encode);
    }
  };
};

/** An object as name and stored value in turn. */
export const entries = record(stored);

/** The number of an object's names, then the object as {@link entries}. */
export const countedEntries = counting(entries, 2);

/** Names and stored values: one object, or name and value in turn as arguments of their own. */
export const entriesOrPairs: ArgEncoder = gathered((out, given, encode) => {
  if (given.length === 1) return entries(out, given[0], encode);
  for (let i = 0; i < given.length || i % 2; i++) {
    located("", i % 2 ? stored : scalar, out, given[i], encode, i);
  }
});

/** A fixed keyword before what the argument adds. */
export const prefixed = (keyword: string, encoder: ArgEncoder): ArgEncoder =>
  withTraits((out, given, encode) => {
    out.push(keyword);
    encoder(out, given, encode);
  }, encoder);

/** The keyword COUNT and a number, if one is given. */
export const optionalCount = optional(prefixed("COUNT", scalar));

/** A fixed keyword where the argument is true. */
export const flag =
  (keyword: string): ArgEncoder =>
  (out, given) => {
    if (given === true) out.push(keyword);
    else if (given !== undefined && given !== false) {
      throw new InvalidArgument(`is ${kindOf(given)}, not true or false`);
    }
  };

/** Several encoders of the same argument. */
export const sequence = (...encoders: ArgEncoder[]): ArgEncoder =>
  withTraits(
    (out, given, encode) => {
      for (const encoder of encoders) encoder(out, given, encode);
    },
    { names: () => encoders.flatMap((encoder) => encoder.names?.() ?? []) },
  );

/** An encoder of an object, with the names of the properties that it reads. */
export const reading = (names: string, encoder: ArgEncoder): ArgEncoder =>
  withTraits(encoder, { names: () => names.split(" ") });

/** One option: how it is encoded, and whether it is. */
interface Option {
  readonly name: string;
  readonly encoder: ArgEncoder;
  applies(given: any): boolean;
}

/**
 * An object of options, sent in the order of `spec`, each under its name in upper case; undefined is left out.
 * `name=WORD` is sent under another keyword, `name=` as its value alone. Marks follow the name: `?` is true or false, and sent
 * as the keyword alone; `*` may be an array; `#` too, after the number of its items; `:` is a stored value; `!` is required;
 * `&` is refused where it is undefined, for without its condition the command would be another one.
 * @param encoders the encoders of options whose value is no plain argument.
 */
export const options = (spec: string, encoders: Readonly<Record<string, ArgEncoder>> = {}): ArgEncoder => {
  let all: Option[] | undefined;
  const own = () => {
    all ??= spec.split(" ").map((item) => {
      const [, name = "", marks = "", keyword] = /^(\w+)([?*#:!&]*)=?(.*)$/.exec(item)!;
      const has = (mark: string) => marks.includes(mark);
      const sent = keyword || name.toUpperCase();
      const value = encoders[name] ?? (has(":") ? stored : has("#") ? counted : has("*") ? scalars : scalar);
      return {
        name,
        encoder: has("?") ? flag(sent) : strict(item.endsWith("=") ? value : prefixed(sent, value)),
        applies: has("!")
          ? () => true
          : has("&")
            ? (given) => name in Object(given)
            : (given) => given?.[name] !== undefined,
      };
    });
    return all;
  };
  return withTraits(
    (out, given, encode) => {
      if (given === undefined && !spec.includes("!")) return;
      for (const { name, encoder, applies } of own()) {
        if (applies(given)) located(`.${name}`, encoder, out, given?.[name], encode);
      }
    },
    { names: () => own().map(({ name }) => name) },
  );
};

/** Options, or what follows them: an object of the options `item`, one of whose names it has. */
export const optionsOr = (before: ArgEncoder, item: ArgEncoder): ArgEncoder => {
  let names: readonly string[] | undefined;
  const isItem = (given: unknown) => {
    names ??= item.names!();
    return names.some((name) => name in Object(given));
  };
  return either(isItem, item, before);
};

/** An offset and a count. An offset without a count returns all the rest. */
export const limit: ArgEncoder = reading("offset count", (out, given) => {
  const { offset, count } = given ?? {};
  if (offset === undefined && count === undefined) return;
  out.push("LIMIT", toScalarArg(offset ?? 0), toScalarArg(count ?? -1));
});

/** An encoder that checks an object's option names, if it reads options, before it encodes them. */
export function strict(encoder: ArgEncoder): ArgEncoder {
  const { names } = encoder;
  if (!names) return encoder;
  let known: Map<string, string> | undefined;
  return (out, given, encode) => {
    known ??= lookUp(names());
    encoder(out, given === undefined ? given : canonical(given, known), encode);
  };
}

/**
 * Puts encoders together: the first is that of the method's first argument, and so on.
 * @param order the place of each encoder's argument, where they are sent in another order than the method takes them. One
 * argument may have several encoders.
 */
export function encodeArgs(encoders: readonly ArgEncoder[], order?: readonly number[]): EncodeArgs {
  let plan: Plan | undefined;
  return (encode, args, out = []) => {
    // Made at the first call: a program imports the specs of many commands and uses a few.
    plan ??= createPlan(encoders, order);
    const { places, most, objects } = plan;
    let place = 0;
    try {
      for (const [at, known] of objects) {
        place = at;
        if (args[at] !== undefined) args[at] = canonical(args[at], known);
      }
      for (let at = 0; at < encoders.length; at++) {
        const encoder = encoders[at]!;
        place = places[at]!;
        const { min } = encoder;
        if (encoder.gathers) encoder(out, args.slice(place), encode);
        else {
          const end = min === undefined ? place + 1 : Math.max(args.length, place + min);
          for (; place < end; place++) encoder(out, args[place], encode);
        }
      }
      for (place = most; place < args.length; place++) {
        if (args[place] !== undefined) throw new InvalidArgument(`is one too many: it takes ${most}`);
      }
      return out;
    } catch (error) {
      if (!(error instanceof InvalidArgument)) throw error;
      const at = place + error.offset;
      const what = at < args.length || error.path ? error.message : "is missing";
      throw new InvalidArgument(`argument ${at + 1}${error.path} ${what}`, { cause: error.cause });
    }
  };
}

/** The arguments of a command as its encoders read them. */
interface Plan {
  /** The place of each encoder's argument in the method. */
  readonly places: readonly number[];
  /** Maximum number of the method's arguments. */
  readonly most: number;
  /** The arguments that are objects of options, with the options' names. */
  readonly objects: readonly (readonly [place: number, known: Map<string, string>])[];
}

function createPlan(encoders: readonly ArgEncoder[], order?: readonly number[]): Plan {
  const places = order ?? encoders.map((_, at) => at);
  const isOpen = encoders.some(({ gathers, min }) => gathers || min !== undefined);
  const most = isOpen ? Number.POSITIVE_INFINITY : Math.max(-1, ...places) + 1;
  const namesAt = (place: number) =>
    encoders.flatMap(({ names }, at) => (places[at] === place && names?.()) || []);
  const objects = [...new Set(places)]
    .map((place) => [place, lookUp(namesAt(place))] as const)
    .filter(([, known]) => known.size > 0);
  return { places, most, objects };
}

/** Encodes a part of an argument: errors say where it is. `offset` is its distance in arguments of the method. */
function located(
  path: string,
  encoder: ArgEncoder,
  out: CommandArg[],
  given: unknown,
  encode: Encode,
  offset = 0,
): void {
  try {
    encoder(out, given, encode);
  } catch (error) {
    if (error instanceof InvalidArgument) {
      error.path = path + error.path;
      error.offset += offset;
    }
    throw error;
  }
}

/** Option names by their lower case. */
const lookUp = (names: readonly string[]) => new Map(names.map((name) => [name.toLowerCase(), name]));

/**
 * Returns the options with their names as they are declared; names are matched in any case.
 * @throws InvalidArgument for a name that is not known or there twice, and for null.
 */
function canonical(given: any, known: ReadonlyMap<string, string>): Record<string, unknown> {
  let renamed: Record<string, unknown> | undefined;
  for (const name in plainObject(given, "an object of options", known)) {
    const own = known.get(name.toLowerCase());
    if (own === undefined) throw new InvalidArgument(`has an ${unknownOption(name, [...known.values()])}`);
    if (given[name] === null) throw new InvalidArgument(`has the option ${name} with null: leave it out`);
    if (own !== name) {
      renamed ??= { ...given } as Record<string, unknown>;
      if (own in renamed) throw new InvalidArgument(`has the option ${own} twice`);
      delete renamed[name];
      renamed[own] = given[name];
    }
  }
  return renamed ?? given;
}

function plainObject(given: unknown, wanted: string, known?: ReadonlyMap<string, string>): object {
  if (typeof given === "object" && given !== null && !(Symbol.iterator in given)) {
    if (!lacksJson(given) && !hasNoProperties(given)) return given;
  }
  // A keyword as Redis and ioredis take it: set(key, value, "EX", 60).
  const option = known?.get(String(given).toLowerCase());
  throw new InvalidArgument(`is ${kindOf(given)}, not ${wanted}${option ? ` such as { ${option} }` : ""}`);
}

function kindOf(given: unknown): string {
  return typeof given === "string" ? "text" : isBytes(given) ? "bytes" : describe(given);
}
