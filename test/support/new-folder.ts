import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Returns a new folder. vitest.config.ts removes it with all other temporary files when the tests have ended. */
export const newFolder = (name: string): string => mkdtempSync(join(tmpdir(), `warmline-${name}-`));
