import { readTextFile } from "../../config/yaml-file.js";
import { stampOf } from "../../util/file-stamp.js";
import type { LoginSource, NewLogin } from "./credentials.js";

/** Interval in ms between checks whether the file has changed. */
const CHECK_INTERVAL = 500;

/** A file with the password. It is read for every new connection, and when it has changed. */
export class PasswordFile implements LoginSource {
  readonly isQuick = true;

  /** @throws {TypeError} when the file can't be read or is empty */
  constructor(
    private readonly path: string,
    private readonly username: string,
  ) {
    this.#password();
  }

  get description(): string {
    return `redisPasswordFile: ${this.path}`;
  }

  async read(): Promise<NewLogin> {
    return { username: this.username, password: this.#password() };
  }

  watch(onChange: () => void): () => void {
    let known = "";
    const check = async () => {
      const stamp = await stampOf(this.path);
      // The first time too: the file may have changed since it was read last.
      if (stamp !== known) onChange();
      known = stamp;
    };
    void check();
    const timer = setInterval(() => void check(), CHECK_INTERVAL).unref();
    return () => clearInterval(timer);
  }

  #password(): string {
    let text: string;
    try {
      text = readTextFile(this.path).replace(/\r?\n$/, "");
    } catch (error) {
      throw new TypeError(`redisPasswordFile: ${(error as Error).message}`);
    }
    if (text.trim() === "") throw new TypeError(`redisPasswordFile: ${this.path}: the file is empty`);
    return text;
  }
}
