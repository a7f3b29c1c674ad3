import { readFileSync } from "node:fs";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { systemClock } from "./clock.js";
import { stampNow } from "./file-stamp.js";

/** Interval in ms between checks of the files. */
const CHECK_INTERVAL = 2_000;

/** The files, in PEM, of a certificate and its key. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** The options that name the two files, for messages. */
const OPTIONS: CertificateFiles = { cert: "tlsCert", key: "tlsKey" };

/** A certificate that is renewed while the gateway runs. */
export class Certificate {
  #version: string;
  #timer: NodeJS.Timeout | undefined;

  /** @throws {TypeError} when a file can't be read, or the two are not a certificate and its key */
  constructor(
    private readonly files: CertificateFiles,
    private readonly clock = systemClock,
    private readonly names = OPTIONS,
  ) {
    this.#version = this.#readVersion();
    this.read();
  }

  /** Returns the files' content. @throws {TypeError} as above; the message names the option and the file, not its content */
  read(): SecureContextOptions {
    const options: SecureContextOptions = {
      cert: readSettingFile(this.names.cert, this.files.cert),
      key: readSettingFile(this.names.key, this.files.key),
      minVersion: "TLSv1.2",
    };
    try {
      createSecureContext(options);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new TypeError(
        `${this.names.cert}: ${this.files.cert} and ${this.files.key} are not a certificate and its key (${code})`,
      );
    }
    return options;
  }

  /** Calls `onChange` with the content of the files after they changed, or `onError` if it can't be used: the old one stays. */
  watch(onChange: (options: SecureContextOptions) => void, onError: (message: string) => void): void {
    const check = () => {
      const version = this.#readVersion();
      if (version === this.#version) return;
      this.#version = version;
      try {
        onChange(this.read());
      } catch (error) {
        onError(`${(error as Error).message}; the previous certificate stays in use`);
      }
    };
    this.#timer = this.clock.setInterval(check, CHECK_INTERVAL).unref();
  }

  close(): void {
    this.clock.clear(this.#timer);
  }

  #readVersion(): string {
    return [this.files.cert, this.files.key].map(stampNow).join();
  }
}

/** Returns the content of the file that a setting names. @throws {TypeError} that begins with the name of the setting */
export function readSettingFile(option: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new TypeError(`${option}: ${path} can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
