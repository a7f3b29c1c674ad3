import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { makeCertificate } from "warmline-testbed";

test("a certificate is self-signed, for localhost and 127.0.0.1", () => {
  const made = makeCertificate();
  const parsed = new X509Certificate(made.cert);
  expect(parsed.checkHost("localhost")).toBe("localhost");
  expect(parsed.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(parsed.checkHost("example.com")).toBeUndefined();
  expect(parsed.verify(parsed.publicKey)).toBe(true);
  expect(parsed.checkIssued(parsed)).toBe(true);
  expect(parsed.ca).toBe(true);
  expect(new Date(parsed.validTo).getTime()).toBeGreaterThan(Date.now());
  expect(new Date(parsed.validFrom).getTime()).toBeLessThan(Date.now());
  expect(readFileSync(made.caFile, "utf8")).toBe(made.cert);
  made.remove();
  expect(existsSync(made.caFile)).toBe(false);
});

test("every certificate has its own key and serial number", () => {
  const [one, two] = [makeCertificate(), makeCertificate()];
  expect(new X509Certificate(one.cert).serialNumber).not.toBe(new X509Certificate(two.cert).serialNumber);
  expect(one.key).not.toBe(two.key);
  one.remove();
  two.remove();
});
