import { SourceMap } from "node:module";
import { build } from "esbuild";
import { expect, test } from "vitest";
// @ts-expect-error: a script without types
import { shrinkMap } from "../../../scripts/shrink-map.mjs";

// One line for each way in which an expression can throw. The lines between them are code that can't.
const SOURCE = `
export const nothing: any = undefined;
export const ways: Record<string, () => unknown> = {
  call: () => {
    const one = 1;
    return nothing.then(one);
  },
  property: () => {
    let two = 2;
    two += 1;
    return two +
      nothing.length;
  },
  element: () =>
    nothing
      [0],
  construction: () => new nothing(),
  template: () => \`\${Symbol()}\`,
  word: () => "a"
    in nothing,
  type: () => 1
    instanceof nothing,
  spread: () => [
    ...nothing],
  loop: () => {
    let last;
    for (const item of nothing)
      last = item;
    return last;
  },
  thrown: () => {
    const error = new Error("thrown");
    throw error;
  },
};`;

test("a shrunk source map leads from every kind of error to the line of the whole map", async () => {
  const { outputFiles } = await build({
    stdin: { contents: SOURCE, sourcefile: "ways.ts", loader: "ts" },
    outfile: "out.js",
    format: "esm",
    minify: true,
    lineLimit: 120,
    sourcemap: "external",
    write: false,
  });
  const [map, code] = outputFiles.map(({ text }) => text) as [string, string];
  const shrunk: string = shrinkMap(map, code);
  expect(shrunk.length).toBeLessThan(map.length / 4);

  const { ways } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const lines = new Set<number>();
  for (const [way, run] of Object.entries<() => unknown>(ways)) {
    const [line, expected] = [shrunk, map].map((json) => lineOf(thrownBy(run), JSON.parse(json)));
    expect(line, way).toBe(expected);
    lines.add(line!);
  }
  expect(lines.size).toBe(Object.keys(ways).length);
});

function thrownBy(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}

/** The line of the source that the topmost frame of an error's stack names. */
function lineOf({ stack }: Error, map: ConstructorParameters<typeof SourceMap>[0]): number {
  const [, line, column] = /^ {4}at .*:(\d+):(\d+)\)?$/m.exec(stack!) ?? [];
  return (new SourceMap(map).findOrigin(Number(line), Number(column)) as { lineNumber: number }).lineNumber;
}
