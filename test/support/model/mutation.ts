import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { newFolder } from "../new-folder.js";

const root = resolve(import.meta.dirname, "../../..");

/** A mistake to put into an entry of the client. Paths are those of the repository. */
export interface Mutation {
  readonly entry: string;
  readonly file: string;
  /** A text that occurs once in the file, and the text in its place. */
  readonly from: string;
  readonly to: string;
}

/** Returns the text of a mutation's file. @throws if it does not contain `from` exactly once */
export function textOf({ file, from }: Pick<Mutation, "file" | "from">): string {
  const text = readFileSync(join(root, file), "utf8");
  if (text.split(from).length !== 2) throw new Error(`${file} must contain this text exactly once: ${from}`);
  return text;
}

/** Bundles an entry with a mistake, and calls `use` with the URL of the module. */
export async function withMutation(
  { entry, file, from, to }: Mutation,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const folder = newFolder("mutation");
  const outfile = join(folder, "module.mjs");
  const text = textOf({ file, from });
  await build({
    entryPoints: [join(root, entry)],
    bundle: true,
    format: "esm",
    external: ["node:*"],
    outfile,
    plugins: [
      {
        name: "mutate",
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, ({ path }) =>
            path === join(root, file) ? { contents: text.replace(from, to), loader: "ts" } : undefined,
          );
        },
      },
    ],
  });
  await use(pathToFileURL(outfile).href);
}
