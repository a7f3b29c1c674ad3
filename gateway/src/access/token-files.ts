import { isDeepStrictEqual } from "node:util";
import { stampOf } from "../util/file-stamp.js";
import { readTokenList, type TokenList, type TokenSources } from "./token-list.js";

/** Reads the tokens again when one of their files has changed. */
export class TokenFiles {
  /** The stamps of the files at the last check, and when they were last read. */
  #checked = "";
  #read = "";
  /** The reason why they could not be read, or null. */
  #problem: string | null = null;

  /** @param list the tokens first read from `sources` */
  constructor(
    private readonly sources: TokenSources,
    private list: TokenList,
  ) {}

  /**
   * Returns the tokens if they have changed, else null. A file that changes is read at the next check, when it is complete.
   * Files that can't be used are read again at each check, since they may name another file that is not there yet.
   * @throws {Error} if they can't be used, once for each reason. The tokens stay as they were.
   */
  async check(): Promise<TokenList | null> {
    const stamps = (await Promise.all([...this.list.files.keys()].map(stampOf))).join();
    const isStable = stamps === this.#checked;
    this.#checked = stamps;
    if (!isStable || (stamps === this.#read && this.#problem === null)) return null;
    this.#read = stamps;
    let list: TokenList;
    try {
      list = readTokenList(this.sources);
    } catch (error) {
      const { message } = error as Error;
      if (message === this.#problem) return null;
      this.#problem = message;
      throw error;
    }
    this.#problem = null;
    if (isDeepStrictEqual(list.files, this.list.files)) return null;
    this.list = list;
    return list;
  }
}
