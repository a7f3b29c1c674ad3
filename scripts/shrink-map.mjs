import { decode, encode } from "@jridgewell/sourcemap-codec";

/**
 * A part of a line that a stack trace can name: a call, an access to a property of something other than `this`, or a word
 * that can throw. The parentheses of statements and of an arrow function's parameters are no calls.
 */
const CAN_THROW =
  /[[`]|(?<!\b(?:if|for|while|switch|catch))\((?![\w$,]*\)=>)|(?<!\bthis)\.(?!\d)|\b(?:throw|await|yield|in|of|instanceof)\b/;

/**
 * Returns a source map that is an eighth as large and still leads from each frame of a stack trace to its file and line:
 * without the sources themselves, names and columns, with the folder of the sources once, and with one mapping for each run of code that comes from one line.
 * Runs that no frame can name have none.
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

/** The folder that all paths begin with, such as `../src/`; empty if there is none. */
function commonFolder(paths) {
  const folders = paths.map((path) => path.split("/").slice(0, -1));
  const [first = []] = folders;
  const differs = first.findIndex((name, at) => folders.some((folder) => folder[at] !== name));
  return first
    .slice(0, differs < 0 ? undefined : differs)
    .map((name) => `${name}/`)
    .join("");
}

/** The first segment of each run that comes from one line. */
function withoutRepeats(segments) {
  return segments
    .filter(([, source, line], i) => segments[i - 1]?.[1] !== source || segments[i - 1]?.[2] !== line)
    .map(([column, source, line]) => [column, source, line, 0]);
}
