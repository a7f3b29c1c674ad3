import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SecureContextOptions } from "node:tls";
import { expect, test } from "vitest";
import { makeCertificate } from "warmline-testbed";
import { Certificate } from "../../../../gateway/src/util/certificate.js";
import { newFolder } from "../../../support/new-folder.js";
import { TestClock } from "../../../support/test-clock.js";

const folder = newFolder("certificate");
const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };

test("a certificate's files are checked every 2 s, and an invalid one changes nothing", () => {
  const [first, renewed] = [makeCertificate(), makeCertificate()];
  const use = ({ cert, key }: { cert: string; key: string }) => {
    writeFileSync(files.cert, cert);
    writeFileSync(files.key, key);
  };
  const clock = new TestClock();
  const changes: SecureContextOptions[] = [];
  const errors: string[] = [];
  use(first);
  const certificate = new Certificate(files, clock);
  certificate.watch(
    (options) => changes.push(options),
    (message) => errors.push(message),
  );
  clock.advance(10_000);
  writeFileSync(files.cert, "nonsense");
  clock.advance(2_000);
  clock.advance(10_000);
  expect(changes).toEqual([]);
  expect(errors).toEqual([
    expect.stringMatching(/not a certificate and its key .*; the previous certificate stays/),
  ]);
  use(renewed);
  clock.advance(2_000);
  expect(changes).toMatchObject([{ cert: Buffer.from(renewed.cert), key: Buffer.from(renewed.key) }]);
  expect(errors).toHaveLength(1);
  // A path that can't be followed.
  rmSync(files.cert);
  symlinkSync(files.cert, files.cert);
  clock.advance(4_000);
  expect(errors.slice(1)).toEqual([
    expect.stringMatching(/can't be read \(ELOOP\); the previous certificate/),
  ]);
  certificate.close();
  expect(clock.timers).toBe(0);
  for (const each of [first, renewed]) each.remove();
});
