import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endOnExit } from "../children.js";
import {
  bitString,
  booleanTrue,
  element,
  integer,
  octetString,
  oid,
  sequence,
  set,
  utcTime,
  utf8String,
} from "./der.js";

/** A certificate with its key. */
export interface Certificate {
  /** The certificate as PEM, also for the option `ca` of a client. */
  readonly cert: string;
  /** Its private key as PEM. */
  readonly key: string;
  /** Path of a file with `cert`, for a child's `NODE_EXTRA_CA_CERTS`. Removed when this process ends. */
  readonly caFile: string;
  /** Removes the file. */
  remove(): void;
}

const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
const COMMON_NAME = "2.5.4.3";
const SUBJECT_ALT_NAME = "2.5.29.17";
const BASIC_CONSTRAINTS = "2.5.29.19";
const DAY_MS = 86_400_000;

/** A certificate authority. */
export interface Authority extends Certificate {
  /** Creates a certificate that the authority has signed. */
  issue(options?: IssueOptions): Certificate;
}

/** Options of {@link Authority.issue}. */
export interface IssueOptions {
  /** The certificate's only host. Default: `localhost` and 127.0.0.1. */
  readonly host?: string;
  /** Whether the certificate expired an hour ago. Default: false. */
  readonly expired?: boolean;
}

/** Creates a self-signed certificate for `localhost` and 127.0.0.1 with a P-256 key, valid for a week. */
export function makeCertificate(): Certificate {
  return createCertificate("warmline testbed").certificate;
}

/** Creates a certificate authority, whose certificate is self-signed and valid for a week. */
export function makeAuthority(): Authority {
  const issuer = "warmline testbed authority";
  const { certificate, privateKey } = createCertificate(issuer);
  const issue = (options?: IssueOptions) =>
    createCertificate("warmline testbed", { name: issuer, privateKey }, options).certificate;
  return { ...certificate, issue };
}

const distinguishedName = (name: string) => sequence(set(sequence(oid(COMMON_NAME), utf8String(name))));

/** Creates a certificate signed by `issuer`. Without an issuer it is self-signed, and an authority's. */
function createCertificate(
  subject: string,
  issuer?: { readonly name: string; readonly privateKey: KeyObject },
  { host, expired = false }: IssueOptions = {},
): { certificate: Certificate; privateKey: KeyObject } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(oid(ECDSA_WITH_SHA256));
  const names =
    host === undefined
      ? [element(0x82, Buffer.from("localhost")), element(0x87, Buffer.from([127, 0, 0, 1]))]
      : [element(0x82, Buffer.from(host))];
  const altNames = sequence(...names);
  const end = new Date(Date.now() + (expired ? -DAY_MS / 24 : 7 * DAY_MS));
  const content = sequence(
    element(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    distinguishedName(issuer?.name ?? subject),
    sequence(utcTime(new Date(Date.now() - DAY_MS)), utcTime(end)),
    distinguishedName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    element(
      0xa3,
      sequence(
        sequence(oid(SUBJECT_ALT_NAME), octetString(altNames)),
        sequence(
          oid(BASIC_CONSTRAINTS),
          booleanTrue(),
          octetString(sequence(...(issuer ? [] : [booleanTrue()]))),
        ),
      ),
    ),
  );
  const der = sequence(
    content,
    algorithm,
    bitString(sign("sha256", content, issuer?.privateKey ?? privateKey)),
  );
  const lines = der.toString("base64").replace(/.{64}/g, "$&\n").trimEnd();
  const cert = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;

  const folder = mkdtempSync(join(tmpdir(), "warmline-tls-"));
  const caFile = join(folder, "ca.pem");
  writeFileSync(caFile, cert);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const keep = endOnExit(remove);
  return {
    certificate: {
      cert,
      key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
      caFile,
      remove: () => {
        keep();
        remove();
      },
    },
    privateKey,
  };
}
