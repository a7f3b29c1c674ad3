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
 * Checks one argument of a method, and appends its encoded form to `out`, the command's arguments.
 * @throws InvalidArgument unless the argument has the shape that the command takes.
 */
export interface ArgEncoder {
  (out: CommandArg[], arg: any, encode: Encode): void;
  /** Returns the names of the options, if the argument is an object of options. */
  readonly names?: (() => readonly string[]) | undefined;
  /** Whether it encodes this argument and all later ones as one array. */
  readonly gathers?: boolean | undefined;
  /** Minimum number of arguments, if it encodes this argument and each later one. */
  readonly min?: 0 | 1 | undefined;
}

/** A key, field, id, number or keyword, sent unchanged. */
export const scalar: ArgEncoder = (out, arg) => {
  out.push(toScalarArg(arg));
};

/** A value, encoded by the codec. */
export const stored: ArgEncoder = (out, arg, encode) => {
  out.push(toValueArg(encode(arg)));
};

/** A value that bypasses the codec: text unchanged, objects and arrays as JSON. */
export const json: ArgEncoder = (out, arg) => {
  out.push(toValueArg(arg));
};

/** Adds the properties of an encoder to a function. */
const withTraits = (run: ArgEncoder, traits: Partial<ArgEncoder>): ArgEncoder => Object.assign(run, traits);

/** An argument that may be left out. */
export const optional = (encoder: ArgEncoder): ArgEncoder =>
  withTraits((out, arg, encode) => {
    if (arg !== undefined) encoder(out, arg, encode);
  }, encoder);

/** This argument and all later ones, as one array. */
export const gathered = (encoder: ArgEncoder): ArgEncoder =>
  withTraits(encoder.bind(null), { gathers: true });

/** Several arguments, given as one array, by the encoders in turn. Reports an argument that is missing in the last turn. */
export const inTurn =
  (...encoders: ArgEncoder[]): ArgEncoder =>
  (out, args, encode) => {
    for (let i = 0; i < args.length || i % encoders.length; i++)
      located("", encoders[i % encoders.length]!, out, args[i], encode, i);
  };

/** This argument and all later ones, at least `min`, each by the same encoder. */
export const rest = (encoder: ArgEncoder, min: 0 | 1 = 1): ArgEncoder =>
  withTraits(strict(encoder).bind(null), { min });

/** An argument that has a default. */
export const defaulting =
  (value: string | number): ArgEncoder =>
  (out, arg = value) => {
    out.push(toScalarArg(arg));
  };

/** Encodes by `yes` if `test` returns true for the argument, else by `no`. */
export const either = (test: (arg: any) => boolean, yes: ArgEncoder, no: ArgEncoder): ArgEncoder => {
  const [onYes, onNo] = [strict(yes), strict(no)];
  return (out, arg, encode) => (test(arg) ? onYes : onNo)(out, arg, encode);
};

/** An array, each item by the same encoder. */
export const array = (encoder: ArgEncoder): ArgEncoder => {
  const each = strict(encoder);
  return (out, arg, encode) => {
    if (!Array.isArray(arg)) throw new InvalidArgument(`is ${describeKind(arg)}, not an array`);
    for (let i = 0; i < arg.length; i++) located(`[${i}]`, each, out, arg[i], encode);
  };
};

/** One item, or an array of items. */
export const oneOrMany = (encoder: ArgEncoder): ArgEncoder => {
  const many = array(encoder);
  return (out, arg, encode) => (Array.isArray(arg) ? many : encoder)(out, arg, encode);
};

/** A scalar, or an array of scalars. */
export const scalars = oneOrMany(scalar);

/** A value, or an array of values. */
export const storedEach = oneOrMany(stored);

/** The arguments that the encoder adds, preceded by their number divided by `size`. */
export const counting =
  (encoder: ArgEncoder, size = 1): ArgEncoder =>
  (out, arg, encode) => {
    const at = out.length;
    out.push("");
    encoder(out, arg, encode);
    out[at] = String((out.length - at - 1) / size);
  };

/** The number of elements, then each element. */
export const counted = counting(scalars);

/** A keyword, the number of this argument and all later ones, then these. Each may be an array of several. */
export const countedRest = (keyword: string): ArgEncoder =>
  prefixed(keyword, gathered(counting(inTurn(scalars))));

/** An object, as alternating names and values. `encoder` encodes the values. */
export const record = (encoder: ArgEncoder): ArgEncoder => {
  const each = strict(encoder);
  return (out, arg, encode) => {
    for (const name of Object.keys(plainObject(arg, "an object"))) {
      out.push(toScalarArg(name));
      located(`.${name}`, each, out, arg[name], encode);
    }
  };
};

/** An object, as alternating names and stored values. */
export const entries = record(stored);

/** The number of an object's properties, then the object as {@link entries}. */
export const countedEntries = counting(entries, 2);

const pairs = inTurn(scalar, stored);

/** Names and stored values: one object, or alternating names and values as separate arguments. */
export const entriesOrPairs: ArgEncoder = gathered((out, args, encode) =>
  args.length === 1 ? entries(out, args[0], encode) : pairs(out, args, encode),
);

/** A fixed keyword, then the argument. */
export const prefixed = (keyword: string, encoder: ArgEncoder): ArgEncoder =>
  withTraits((out, arg, encode) => {
    out.push(keyword);
    encoder(out, arg, encode);
  }, encoder);

/** The keyword COUNT and a number, if one is given. */
export const optionalCount = optional(prefixed("COUNT", scalar));

/** A fixed keyword if the argument is true, else nothing. */
export const flag =
  (keyword: string): ArgEncoder =>
  (out, arg) => {
    if (arg === true) out.push(keyword);
    else if (arg !== undefined && arg !== false) {
      throw new InvalidArgument(`is ${describeKind(arg)}, not true or false`);
    }
  };

/** Several encoders of the same argument. */
export const sequence = (...encoders: ArgEncoder[]): ArgEncoder =>
  withTraits(
    (out, arg, encode) => {
      for (const encoder of encoders) encoder(out, arg, encode);
    },
    { names: () => encoders.flatMap((encoder) => encoder.names?.() ?? []) },
  );

/** An encoder of an object, with the names of the properties that it reads. */
export const reading = (names: string, encoder: ArgEncoder): ArgEncoder =>
  withTraits(encoder, { names: () => names.split(" ") });

interface Option {
  readonly name: string;
  readonly encoder: ArgEncoder;
  /** Returns whether the option is sent. */
  applies(arg: any): boolean;
}

/**
 * An object of options, sent in the order of `spec`. An option is sent as its name in upper case and its value; `name=WORD` is
 * sent under another keyword, `name=` as its value alone. An undefined option is not sent. Marks after the name:
 * - `?` true or false, sent as the keyword alone
 * - `*` a scalar or an array of scalars; `#` the same, preceded by the number of items
 * - `:` a stored value
 * - `!` required
 * - `&` a condition: not required, but undefined is an error, since the command would run without its condition
 * @param encoders encoders of options that no mark describes.
 */
export const options = (spec: string, encoders: Readonly<Record<string, ArgEncoder>> = {}): ArgEncoder => {
  let parsed: Option[] | undefined;
  const parse = () => {
    parsed ??= spec.split(" ").map((item) => {
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
            ? (arg) => name in Object(arg)
            : (arg) => arg?.[name] !== undefined,
      };
    });
    return parsed;
  };
  return withTraits(
    (out, arg, encode) => {
      if (arg === undefined && !spec.includes("!")) return;
      for (const { name, encoder, applies } of parse()) {
        if (applies(arg)) located(`.${name}`, encoder, out, arg?.[name], encode);
      }
    },
    { names: () => parse().map(({ name }) => name) },
  );
};

/** Options before the first item, or the first item: an object with one of the properties that `item` reads. */
export const optionsOr = (optionsBefore: ArgEncoder, item: ArgEncoder): ArgEncoder => {
  let names: readonly string[] | undefined;
  const isItem = (arg: unknown) => {
    names ??= item.names!();
    return names.some((name) => name in Object(arg));
  };
  return either(isItem, item, optionsBefore);
};

/** LIMIT with an offset and a count. Without a count, all after the offset are returned. */
export const limit: ArgEncoder = reading("offset count", (out, arg) => {
  const { offset, count } = arg ?? {};
  if (offset === undefined && count === undefined) return;
  out.push("LIMIT", toScalarArg(offset ?? 0), toScalarArg(count ?? -1));
});

/** Returns an encoder that, if `encoder` reads options, first checks the names of the options and replaces them by the declared ones. */
export function strict(encoder: ArgEncoder): ArgEncoder {
  const { names } = encoder;
  if (!names) return encoder;
  let declared: Map<string, string> | undefined;
  return (out, arg, encode) => {
    declared ??= byLowerCase(names());
    encoder(out, arg === undefined ? arg : canonical(arg, declared), encode);
  };
}

/**
 * Combines the encoders of a method's arguments. `order` has the position of each encoder's argument in the method. Default: one
 * encoder for each argument, in the order of the method.
 */
export function encodeArgs(encoders: readonly ArgEncoder[], order?: readonly number[]): EncodeArgs {
  let plan: Plan | undefined;
  return (encode, args, out = []) => {
    // Created at the first call: a program imports the specs of many commands and uses a few.
    plan ??= createPlan(encoders, order);
    const { places, maxArgs, objects } = plan;
    // The argument that is being encoded, for the error.
    let place = 0;
    try {
      for (const [at, declared] of objects) {
        place = at;
        if (args[at] !== undefined) args[at] = canonical(args[at], declared);
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
      for (place = maxArgs; place < args.length; place++) {
        if (args[place] !== undefined) throw new InvalidArgument(`is one too many: at most ${maxArgs}`);
      }
      return out;
    } catch (error) {
      if (!(error instanceof InvalidArgument)) throw error;
      const at = place + error.offset;
      const problem = at < args.length || error.path ? error.message : "is missing";
      throw new InvalidArgument(`argument ${at + 1}${error.path} ${problem}`, { cause: error.cause });
    }
  };
}

/** The arguments of a command as its encoders read them. */
interface Plan {
  /** The place of each encoder's argument in the method. */
  readonly places: readonly number[];
  /** Maximum number of the method's arguments. */
  readonly maxArgs: number;
  /** The arguments that are objects of options, with the declared names by lower case. */
  readonly objects: readonly (readonly [place: number, declared: Map<string, string>])[];
}

function createPlan(encoders: readonly ArgEncoder[], order?: readonly number[]): Plan {
  const places = order ?? encoders.map((_, at) => at);
  const isOpen = encoders.some(({ gathers, min }) => gathers || min !== undefined);
  const maxArgs = isOpen ? Infinity : Math.max(-1, ...places) + 1;
  const namesAt = (place: number) =>
    encoders.flatMap(({ names }, at) => (places[at] === place && names?.()) || []);
  const objects = [...new Set(places)]
    .map((place) => [place, byLowerCase(namesAt(place))] as const)
    .filter(([, declared]) => declared.size > 0);
  return { places, maxArgs, objects };
}

/** Encodes a part of an argument. Adds the part's path to an InvalidArgument, and `offset`: how many arguments after the first one it is. */
function located(
  path: string,
  encoder: ArgEncoder,
  out: CommandArg[],
  arg: unknown,
  encode: Encode,
  offset = 0,
): void {
  try {
    encoder(out, arg, encode);
  } catch (error) {
    if (error instanceof InvalidArgument) {
      error.path = path + error.path;
      error.offset += offset;
    }
    throw error;
  }
}

const byLowerCase = (names: readonly string[]) => new Map(names.map((name) => [name.toLowerCase(), name]));

/**
 * Returns the options under their declared names. Names match in any case.
 * @throws InvalidArgument for null, an unknown name, or a name that is given twice.
 */
function canonical(arg: any, declared: ReadonlyMap<string, string>): Record<string, unknown> {
  let renamed: Record<string, unknown> | undefined;
  for (const name in plainObject(arg, "an object of options", declared)) {
    const option = declared.get(name.toLowerCase());
    if (option === undefined)
      throw new InvalidArgument(`has an ${unknownOption(name, [...declared.values()])}`);
    if (arg[name] === null) throw new InvalidArgument(`has the option ${name} with null: leave it out`);
    if (option !== name) {
      renamed ??= { ...arg } as Record<string, unknown>;
      if (option in renamed) throw new InvalidArgument(`has the option ${option} twice`);
      delete renamed[name];
      renamed[option] = arg[name];
    }
  }
  return renamed ?? arg;
}

function plainObject(arg: unknown, expected: string, declared?: ReadonlyMap<string, string>): object {
  if (typeof arg === "object" && arg !== null && !(Symbol.iterator in arg)) {
    if (!lacksJson(arg) && !hasNoProperties(arg)) return arg;
  }
  // For a keyword as in ioredis, set(key, value, "EX", 60), the message names the option.
  const option = declared?.get(String(arg).toLowerCase());
  throw new InvalidArgument(
    `is ${describeKind(arg)}, not ${expected}${option ? ` such as { ${option} }` : ""}`,
  );
}

function describeKind(arg: unknown): string {
  return typeof arg === "string" ? "text" : isBytes(arg) ? "bytes" : describe(arg);
}
