import { decode, encode } from "@jridgewell/sourcemap-codec";

/**
 * Code that a frame of a stack trace can point to: a call, an access to a property of anything but `this`, or a keyword that can
 * throw. The parentheses of statements and of an arrow function's parameters are not calls.
 */
const CAN_THROW =
  /[[`]|(?<!\b(?:if|for|while|switch|catch))\((?![\w$,]*\)=>)|(?<!\bthis)\.(?!\d)|\b(?:throw|await|yield|in|of|instanceof)\b/;

/**
 * Returns a source map of an eighth of the size that still leads from each frame of a stack trace to its file and line. It has no
 * contents of sources, no names and no columns, the folder of the sources once, and one mapping for each run of code from one line.
 * Runs to which no frame can point have no mapping.
 * @param json the source map.
 * @param code the generated file.
 */
export function shrinkMap(json, code) {
  const map = JSON.parse(json);
  const lines = code.split("\n");
  const mappings = decode(map.mappings).map((segments, at) => {
    const runs = withoutRepeats(segments.filter(([, source]) => source !== undefined));
    return withoutRepeats(
      runs.filter(([column], i) => CAN_THROW.test(lines[at].slice(column, runs[i + 1]?.[0]))),
    );
  });
  const { version } = map;
  const sourceRoot = commonFolder(map.sources);
  const sources = map.sources.map((source) => source.slice(sourceRoot.length));
  return JSON.stringify({ version, sourceRoot, sources, names: [], mappings: encode(mappings) });
}

/** Returns the folder that all paths begin with, such as `../src/`; empty if there is none. */
function commonFolder(paths) {
  const folders = paths.map((path) => path.split("/").slice(0, -1));
  const [first = []] = folders;
  const differs = first.findIndex((name, at) => folders.some((folder) => folder[at] !== name));
  return first
    .slice(0, differs < 0 ? undefined : differs)
    .map((name) => `${name}/`)
    .join("");
}

/** Returns the first segment of each run of code from one line. */
function withoutRepeats(segments) {
  return segments
    .filter(([, source, line], i) => segments[i - 1]?.[1] !== source || segments[i - 1]?.[2] !== line)
    .map(([column, source, line]) => [column, source, line, 0]);
}
