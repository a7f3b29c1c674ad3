import { describe, expect, test } from "vitest";
import type { CommandSpec } from "../../../src/commands/spec.js";
import { InvalidArgument } from "../../../src/protocol/args.js";
import { allSpecs, moduleSamples, moduleSpecs, samples } from "./samples/index.js";

// Every method is called with its samples corrupted in every place: each value is refused, or it is sent.

const rows: Record<string, CommandSpec> = { ...allSpecs, ...moduleSpecs };
const everySample: Record<string, readonly (readonly [args: readonly unknown[], ...unknown[]])[]> = {
  ...samples,
  ...moduleSamples,
};

/** Objects whose names are the user's own, not options, by method and place. */
const DATA: Record<string, string> = {
  hset: "1",
  hmset: "1",
  mset: "0",
  msetnx: "0",
  msetex: "0",
  hsetex: "2",
  xadd: "2",
  armset: "1",
  "cms.incrby": "1",
  "topk.incrby": "1",
  "ts.create": "1.labels",
  "ts.alter": "1.labels",
  "ts.add": "3.labels",
  "ts.incrby": "2.labels",
  "ts.decrby": "2.labels",
  "ft.search": "2.params",
  "ft.aggregate": "2.params",
  "ft.create": "1",
  "ft.alter": "1",
};

/** The same for fields of an index of vectors, whose attributes depend on the algorithm. */
const isData = (method: string, path: Path) =>
  path.join(".") === DATA[method] || path.at(-1) === "attributes";

type Path = readonly (string | number)[];

/** Every place inside the arguments; an object or array comes before its own places. */
function placesIn(value: unknown, path: Path = []): Path[] {
  const inside =
    typeof value === "object" && value !== null && !ArrayBuffer.isView(value) ? Object.entries(value) : [];
  const own = path.length > 0 ? [path] : [];
  return [...own, ...inside.flatMap(([name, item]) => placesIn(item, [...path, name]))];
}

const at = (value: any, path: Path): any => path.reduce((inner, name) => inner?.[name], value);

function changed<T>(
  args: readonly unknown[],
  path: Path,
  change: (holder: any, name: string | number) => T,
): unknown[] {
  const copy = structuredClone(args) as unknown[];
  change(at(copy, path.slice(0, -1)), path.at(-1)!);
  return copy;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** The command's arguments, with what went through the codec marked; or undefined if they are refused. */
function send(spec: CommandSpec, args: unknown[], seen: unknown[] = []): string[] | undefined {
  try {
    const encode = (value: unknown) => {
      seen.push(value);
      return value;
    };
    return spec.encodeArgs(encode, args).map(String);
  } catch (error) {
    if (error instanceof InvalidArgument) return undefined;
    throw error;
  }
}

function refusalOf(spec: CommandSpec, args: unknown[]): string {
  try {
    spec.encodeArgs((value) => value, args);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

describe.each(Object.keys(rows))("%s", (method) => {
  const spec = rows[method]!;
  const cases = everySample[method]!.map(([args]) => args);

  /** Objects of options among the arguments, and the places of their options. */
  const options = cases.flatMap((args) =>
    placesIn(args)
      .filter((path) => isPlain(at(args, path.slice(0, -1))) && path.length > 1)
      .filter((path) => !isStored(args, path) && !isData(method, path.slice(0, -1)))
      .map((path) => ({ args, path })),
  );

  /** Whether the codec or JSON gets what is at this place, or what holds it. */
  function isStored(args: readonly unknown[], path: Path): boolean {
    for (let depth = 1; depth < path.length; depth++) {
      const probe = { "probe-of-a-value": true };
      const seen: unknown[] = [];
      const sent = send(
        spec,
        changed(args, path.slice(0, depth), (holder, name) => (holder[name] = probe)),
        seen,
      );
      if (sent && (seen.length > 0 || sent.some((word) => word.includes("probe-of-a-value")))) return true;
    }
    return false;
  }

  test("a misspelt option is refused by its name", () => {
    for (const { args, path } of options) {
      const wrong = `${path.at(-1)}x`;
      const spoilt = changed(args, path, (holder, name) => {
        holder[wrong] = holder[name];
        delete holder[name];
      });
      expect(refusalOf(spec, spoilt), `${path.join(".")} in ${JSON.stringify(args)}`).toContain(wrong);
    }
  });

  test("an option may be written in any case", () => {
    for (const { args, path } of options) {
      const upper = changed(args, path, (holder, name) => {
        const value = holder[name];
        delete holder[name];
        holder[String(name).toUpperCase()] = value;
      });
      // The declared name distinguishes options from a member, and a member from a vector.
      const sent = send(spec, upper);
      if (sent || !/score|member|longitude|latitude|element/.test(String(path.at(-1)))) {
        expect(sent, path.join(".")).toEqual(send(spec, structuredClone(args) as unknown[]));
      }
    }
  });

  test("an option with null is refused", () => {
    for (const { args, path } of options) {
      expect(
        refusalOf(
          spec,
          changed(args, path, (holder, name) => (holder[name] = null)),
        ),
      ).toMatch(/null/);
    }
  });

  test("an options argument that is not an object is refused in its place", () => {
    const holders = new Map(
      options.map(({ args, path }) => [path.slice(0, -1).join("."), { args, path: path.slice(0, -1) }]),
    );
    for (const { args, path } of holders.values()) {
      for (const wrong of [null, true, 5, ["EX", 60], new Map([["ex", 1]]), new Date(), new Uint8Array(1)]) {
        const sent = send(
          spec,
          changed(args, path, (holder, name) => (holder[name] = wrong)),
        );
        // If the first of several items is optional, a number or bytes may also begin another one.
        expect(sent, `${String(wrong)} at ${path.join(".")} of ${JSON.stringify(args)}`).toBeUndefined();
      }
    }
  });

  test("an argument that can't be sent is refused in every place", () => {
    for (const args of cases) {
      for (const path of placesIn(args)) {
        for (const wrong of [Promise.resolve(1), new Map(), () => 1, Symbol("s"), Number.NaN]) {
          const spoilt = changed(args, path, () => {});
          at(spoilt, path.slice(0, -1))[path.at(-1)!] = wrong;
          // Inside JSON a function is left out, and NaN is null, as JSON has it.
          const inJson = isStored(args, path) && (typeof wrong !== "object" || wrong === null);
          if (!inJson)
            expect(
              send(spec, spoilt),
              `${String(wrong)} at ${path.join(".")} of ${JSON.stringify(args)}`,
            ).toBeUndefined();
        }
      }
    }
  });

  test("only values and JSON may be null, true or an object", () => {
    for (const args of cases) {
      for (const path of placesIn(args)) {
        for (const wrong of [null, true, { some: "object" }]) {
          const original = at(args, path);
          if (typeof original === "boolean" || typeof original === "object") continue;
          const seen: unknown[] = [];
          const sent = send(
            spec,
            changed(args, path, (holder, name) => (holder[name] = wrong)),
            seen,
          );
          if (!sent) continue;
          const stored = seen.some((value) => JSON.stringify(value)?.includes(JSON.stringify(wrong)));
          const asJson = sent.some((word) => word.includes(JSON.stringify(wrong)));
          const skipped = wrong === null && /^(del|unlink)$/.test(method);
          expect(
            stored || asJson || skipped,
            `${JSON.stringify(wrong)} at ${path.join(".")} of ${JSON.stringify(args)}`,
          ).toBe(true);
          if (asJson && !stored && !skipped)
            expect(takesJson(method), `${method} takes JSON at ${path.join(".")}`).toBe(true);
        }
      }
    }
  });

  test("every given argument is sent", () => {
    for (const args of cases) {
      for (const path of placesIn(args)) {
        if (typeof at(args, path) === "object") continue;
        const marked = changed(args, path, (holder, name) => (holder[name] = "marker"));
        const sent = send(spec, marked);
        if (sent)
          expect(
            sent.some((word) => /marker/i.test(word)),
            `${path.join(".")} of ${JSON.stringify(args)}`,
          ).toBe(true);
      }
    }
  });

  test("an extra argument is refused, or sent", () => {
    for (const args of cases) {
      for (const extra of ["extra", { extra: 1 }]) {
        const sent = send(spec, [...structuredClone(args), extra]);
        if (sent) expect(sent.some((word) => word.includes("extra") || word.includes("object"))).toBe(true);
      }
    }
  });
});

/** The methods some of whose arguments are JSON that the codec does not see. */
function takesJson(method: string): boolean {
  return /^(json\.\w+|eval|evalRo|evalsha|evalshaRo|functions\.call|functions\.callRo|vsetattr|vadd)$/.test(
    method,
  );
}
