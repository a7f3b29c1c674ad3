/** Units of sizes, in bytes. */
export const SIZES: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  kb: 1024,
  mb: 1024 ** 2,
  gb: 1024 ** 3,
};
/** Units of times, in ms. */
export const TIMES: Readonly<Record<string, number>> = { "": 1, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Returns a whole number, or digits with one of these units behind them, as a number; null for anything else. */
export function parseQuantity(value: unknown, units: Readonly<Record<string, number>>): number | null {
  if (typeof value === "number" && Number.isInteger(value)) return value;
  const [, digits, unit = ""] = /^(\d{1,15})\s*([a-z]*)$/i.exec(String(value).trim()) ?? [];
  const factor = units[unit.toLowerCase()];
  return digits === undefined || factor === undefined ? null : Number(digits) * factor;
}
