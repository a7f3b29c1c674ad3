import { linkSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { randomToken } from "../access/token.js";
import { makeFolder } from "../util/make-folder.js";

/** A token that the gateway made itself, and a description of where it is kept, or why it is not, without the token. */
export type KeptToken = ReturnType<typeof loadOrCreateToken>;

/** The form of {@link randomToken}. Any other content of the file is replaced. */
const FORM = /^[\w-]{32}$/;
/** The mode bits of everyone but the owner. */
const OTHERS = 0o077;

/**
 * Returns the token of this user's gateways. It is kept in a file that only the user can read, so that it is the same after
 * a restart. A file that others may access or own, or that holds something else, is replaced. If it can't be kept, the token is for
 * this run only.
 */
export function loadOrCreateToken(environment: NodeJS.ProcessEnv) {
  let file = "a file in the home folder";
  try {
    file = join(stateFolder(environment), "warmline-gateway", "token");
    return { token: readToken(file) ?? createToken(file), description: `kept in ${file}` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { token: randomToken(), description: `for this run only, since ${file} cannot be used (${code})` };
  }
}

/** Returns the folder for files that outlive a run: by the XDG base directory specification, or of the same purpose on Windows. */
function stateFolder({ XDG_STATE_HOME, LOCALAPPDATA }: NodeJS.ProcessEnv): string {
  if (process.platform === "win32" && LOCALAPPDATA) return LOCALAPPDATA;
  return XDG_STATE_HOME || join(homedir(), ".local", "state");
}

/** Returns the token in a file, or null if there is no usable one. */
function readToken(file: string): string | null {
  try {
    const { mode, uid } = lstatSync(file);
    const isPrivate = process.getuid === undefined || ((mode & OTHERS) === 0 && uid === process.getuid());
    const token = readFileSync(file, "utf8").trim();
    return isPrivate && FORM.test(token) ? token : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Writes a new token to the file. Returns the other one if another gateway writes one at the same time. */
function createToken(file: string): string {
  const token = randomToken();
  makeFolder(dirname(file));
  const temporary = `${file}.${randomToken()}`;
  writeFileSync(temporary, `${token}\n`, { mode: 0o600, flag: "wx" });
  try {
    // Unlike a rename, a link never replaces the file of another gateway.
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const other = readToken(file);
    if (other !== null) return other;
    // The file there is not usable: it is replaced.
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  return token;
}
