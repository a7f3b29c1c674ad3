import { isIP } from "node:net";
import { type ConnectionOptions, checkServerIdentity, type SecureContextOptions } from "node:tls";
import { Certificate, readSettingFile } from "../util/certificate.js";
import { systemClock } from "../util/clock.js";
import type { Address } from "./cluster/topology.js";

/** The settings of TLS connections to Redis: see `GatewayOptions`. */
export interface TlsSettings {
  readonly redisCa?: string | undefined;
  readonly redisCert?: string | undefined;
  readonly redisKey?: string | undefined;
  readonly redisServerName?: string | undefined;
}

/** The certificates of TLS connections to Redis: those that are trusted, and the gateway's own. */
export class RedisTls {
  readonly #ca: Buffer | undefined;
  readonly #serverName: string | undefined;
  readonly #certificate: Certificate | null;
  #own: SecureContextOptions = {};

  /**
   * @param onError called with a one-line message when a file that has changed can't be used
   * @throws {TypeError} that begins with the name of a setting, when a file can't be used
   */
  constructor(
    settings: TlsSettings,
    private readonly onError: (message: string) => void,
  ) {
    const { redisCa, redisCert, redisKey, redisServerName } = settings;
    this.#serverName = redisServerName;
    this.#ca = redisCa === undefined ? undefined : readSettingFile("redisCa", redisCa);
    const files = redisCert !== undefined && redisKey !== undefined && { cert: redisCert, key: redisKey };
    const names = { cert: "redisCert", key: "redisKey" };
    this.#certificate = files ? new Certificate(files, systemClock, names) : null;
    if (this.#certificate) this.#own = this.#certificate.read();
  }

  /**
   * Returns the options of a connection.
   * @param configured the addresses of the URL. Certificates may not cover the addresses of nodes, so one that covers any of these
   * hosts is accepted as well
   */
  optionsFor({ host }: Address, configured: readonly Address[]): ConnectionOptions {
    const name = this.#serverName;
    return {
      ca: this.#ca,
      cert: this.#own.cert,
      key: this.#own.key,
      // SNI takes names only.
      servername: name ?? (isIP(host) ? undefined : host),
      checkServerIdentity: (asked, certificate) => {
        if (name !== undefined) return checkServerIdentity(name, certificate);
        const wrong = checkServerIdentity(asked || host, certificate);
        const vouched = configured.some((each) => !checkServerIdentity(each.host, certificate));
        return vouched ? undefined : wrong;
      },
    };
  }

  /** Reads files that change, until {@link close}. */
  watch(): void {
    const onChange = (options: SecureContextOptions) => {
      this.#own = options;
    };
    this.#certificate?.watch(onChange, this.onError);
  }

  close(): void {
    this.#certificate?.close();
  }
}

/** Reasons of failed handshakes, and what to do about them, by the codes of Node and OpenSSL. */
const REASONS: readonly (readonly [code: RegExp, reason: string])[] = [
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "its certificate is for another name than that of the host; set redisServerName to the name in the certificate",
  ],
  [/^CERT_HAS_EXPIRED$/, "its certificate has expired"],
  [/^CERT_NOT_YET_VALID$/, "its certificate is not valid yet"],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE).*|CERT_SIGNATURE_FAILURE)$/,
    "its certificate is not from an authority that is trusted; set redisCa to the certificate of its authority",
  ],
  [/ALERT_CERTIFICATE_REQUIRED$/, "it requires a client certificate; set redisCert and redisKey"],
  [/ALERT_CERTIFICATE_EXPIRED$/, "the client certificate of redisCert has expired"],
  [
    /ALERT_(UNKNOWN_CA|DECRYPT_ERROR)$/,
    "it does not trust the authority of the client certificate of redisCert",
  ],
  [/ALERT_(BAD_CERTIFICATE|CERTIFICATE_UNKNOWN)$/, "it does not accept the client certificate of redisCert"],
  [
    /ALERT_HANDSHAKE_FAILURE$/,
    "it refused the TLS handshake, as a server does that requires a client certificate; set redisCert and redisKey",
  ],
  [
    /^ERR_SSL_WRONG_VERSION_NUMBER$/,
    "it does not speak TLS on this port; the URL of a port without TLS begins with redis:",
  ],
];

/** Returns why a TLS handshake has failed, with its code, or the code alone for any other error. */
export function tlsReasonOf(code: string): string {
  const [, reason] = REASONS.find(([pattern]) => pattern.test(code)) ?? [];
  return reason === undefined ? code : `${reason} (${code})`;
}
