import { monotonicTime } from "./clock.js";

/**
 * Returns 96 random bits in base 36. Two processes restored from one snapshot may draw the same random numbers, so 64 of the
 * bits are mixed with the wall clock in ms and the monotonic clock in ns.
 */
export function randomId(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(3));
  numbers[0]! ^= Date.now();
  numbers[1]! ^= monotonicTime() * 1e6;
  return Array.from(numbers, (number) => number.toString(36)).join("");
}
