import { parseQuantity, SIZES, TIMES } from "../config/units.js";
import { parseYaml } from "../config/yaml-file.js";
import type { Engine } from "../engine/engine.js";

export type KindName = "text" | "choice" | "integer" | "bytes" | "ms" | "switch" | "list" | "structure";

/** A kind of settings: how a value is written, read, checked and shown. */
interface Kind<T> {
  readonly name: KindName;
  /** The placeholder of a value in the help, such as `<number>`. Empty for a switch. */
  readonly placeholder: string;
  /**
   * Converts the value of a flag, a variable or the config file. A secret is never repeated in a message.
   * @param source where the value comes from, for the message
   * @throws {TypeError} or {@link FileError} if the value has another form
   */
  parse(value: unknown, source: string): T;
  /**
   * Checks a value given by a program, or parsed.
   * @throws {TypeError} that begins with `name` if the value is of another type or out of range
   */
  check(value: unknown, name: string): void;
  /** Returns a value as the help and docs/gateway.md show it. */
  show(value: T): string;
  /** The minimum and the maximum of a value as text. Absent for a kind without. */
  readonly range?: string;
}

/** The parts of a setting's entry that every kind has. */
interface Fields<T> {
  /** The description in `--help` and docs/gateway.md, without the default. */
  readonly help: string;
  /** The placeholder of a value in the help. Default: that of the kind. */
  readonly placeholder?: string;
  /** The default as the help describes it. Default: `default` as text, or nothing without one. */
  readonly defaultText?: string;
  /**
   * Checks a value beyond its kind.
   * @throws {TypeError} that begins with the name of the setting
   */
  readonly check?: (value: T) => unknown;
}

/** A default: a value, or a function of the options given and the constant defaults of the others. */
export type Default<T> = T | ((settings: Readonly<Record<string, unknown>>) => T);

/** An entry of the table of settings, of values of type `T`. `D` is undefined for a setting without a default. */
export interface Setting<T, D = Default<T> | undefined> extends Fields<T> {
  readonly kind: Kind<T>;
  readonly default: D;
}

/** The fields of an entry with a default. */
interface WithDefault<T> {
  readonly default: Default<T>;
}

/** Minimum and maximum, both allowed. */
interface Range {
  /** Default: 1. */
  readonly min?: number;
  readonly max: number;
}

interface MakeSetting<T, Extra = unknown> {
  (fields: Fields<T> & Extra & WithDefault<T>): Setting<T, Default<T>>;
  (fields: Fields<T> & Extra): Setting<T, undefined>;
}

function maker<T, Extra = unknown>(kindOf: (fields: Extra) => Kind<T>): MakeSetting<T, Extra> {
  const make = (fields: Fields<T> & Extra & Partial<WithDefault<T>>) => ({
    default: undefined,
    ...fields,
    kind: kindOf(fields),
  });
  return make as MakeSetting<T, Extra>;
}

export const text = maker<string>(() => TEXT);

const TEXT: Kind<string> = {
  name: "text",
  placeholder: "<text>",
  parse(value, source) {
    // YAML has changed it already: 0123 is 123, and long ones lose digits.
    if (typeof value === "number") throw new TypeError(`${source}: must be a string; put a number in quotes`);
    TEXT.check(value, source);
    return value as string;
  },
  check(value, name) {
    if (typeof value !== "string") throw new TypeError(`${name}: must be a string`);
  },
  show: String,
};

export const file = (fields: Fields<string>) => text({ placeholder: "<file>", ...fields });

/** One of several texts. */
export function choice<const T extends string>(
  choices: readonly T[],
  fields: Fields<T> & WithDefault<T>,
): Setting<T, Default<T>> {
  const kind: Kind<T> = {
    ...TEXT,
    name: "choice",
    parse: (value, source) => TEXT.parse(value, source) as T,
    check(value, name) {
      if (!choices.includes(value as T)) throw new TypeError(`${name}: must be one of ${choices.join(", ")}`);
    },
  };
  return { ...fields, kind };
}

/** The Redis to start, by its name or path; or, in a program, one that was started. */
export const engineChoice = maker<"auto" | "embedded" | (string & {}) | Engine>(() => ({
  ...TEXT,
  check(value, name) {
    if (typeof value === "string" || typeof (value as Engine | null)?.connect === "function") return;
    throw new TypeError(`${name}: must be auto, embedded, or the path of a redis-server`);
  },
}));

export const integer = quantity("integer", "<number>", { "": 1 }, "a whole number");

/** A size in bytes. As text it may have a unit: `500kb`. */
export const bytes = quantity("bytes", "<size>", SIZES, "a size such as 500kb or 20mb");

/** A time in ms. As text it may have a unit: `10s`. */
export const duration = quantity("ms", "<time>", TIMES, "a time such as 500ms, 10s or 5m");

/** @param form the form of a value, for error messages */
function quantity(
  name: KindName,
  placeholder: string,
  units: Readonly<Record<string, number>>,
  form: string,
): MakeSetting<number, Range> {
  const show = (value: number) => withUnit(value, units);
  return maker(({ min = 1, max }) => ({
    name,
    placeholder,
    range: `${show(min)} to ${show(max)}`,
    parse(value, source) {
      const parsed = parseQuantity(value, units);
      if (parsed === null) throw new TypeError(`${source}: must be ${form}`);
      return parsed;
    },
    check(value, option) {
      if (!Number.isInteger(value) || (value as number) < min || (value as number) > max)
        throw new TypeError(`${option}: must be a whole number from ${min} to ${max}`);
    },
    show,
  }));
}

/** Units in which a value of several of them is shown: `60s`, not `1m`. */
const SHOWN_UNITS = ["gb", "mb", "kb", "h", "s", "ms"];

function withUnit(value: number, units: Readonly<Record<string, number>>): string {
  const unit = SHOWN_UNITS.find((each) => units[each] !== undefined && value % units[each] === 0);
  return value === 0 || unit === undefined ? String(value) : `${value / units[unit]!}${unit}`;
}

export const toggle = maker<boolean>(() => SWITCH);

const SWITCH: Kind<boolean> = {
  name: "switch",
  placeholder: "",
  parse(value, source) {
    if (value === "true" || value === "1") return true;
    if (value === "false" || value === "0") return false;
    SWITCH.check(value, source);
    return value as boolean;
  },
  check(value, name) {
    if (typeof value !== "boolean") throw new TypeError(`${name}: must be true or false`);
  },
  show: (value) => (value ? "on" : "off"),
};

/** Texts: flags that are repeated, commas in a variable, a list in the config file. */
export const list = maker<readonly string[]>(() => LIST);

const LIST: Kind<readonly string[]> = {
  name: "list",
  placeholder: "<text>",
  parse(value, source) {
    const entries = Array.isArray(value) ? value : [value];
    LIST.check(entries, source);
    return (entries as string[])
      .flatMap((entry) => entry.split(","))
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "");
  },
  check(value, option) {
    if (!Array.isArray(value) || !value.every((entry) => typeof entry === "string"))
      throw new TypeError(`${option}: must be a list of strings`);
  },
  show: (value) => value.join(", ") || "none",
};

/** A list of objects: YAML or JSON as text. Its form is checked by the setting itself. */
export function structure<T>(fields: Fields<T>): Setting<T, undefined> {
  const kind: Kind<T> = {
    name: "structure",
    placeholder: "<list>",
    parse: (value, source) => (typeof value === "string" ? parseYaml(value, source).value : value) as T,
    check: () => {},
    show: () => "",
  };
  return { ...fields, default: undefined, kind };
}
