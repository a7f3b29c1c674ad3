import { BACKSLASH, CLOSE_BRACKET, MINUS, OPEN_BRACKET, STAR } from "./bytes.js";

const QUESTION_MARK = 0x3f;
const CARET = 0x5e;

/**
 * Whether bytes match a glob pattern of Redis: `*`, `?`, `[a-z]`, `[^a]`, and a backslash before a character that stands for
 * itself. Takes at most time in proportion to the product of both lengths.
 */
export function matchesGlob(pattern: Buffer, text: Buffer): boolean {
  let at = 0;
  let index = 0;
  /** The place behind the last star, and the place in the text to go back to if what follows the star does not match. */
  let afterStar = -1;
  let retry = 0;
  while (index < text.length) {
    if (pattern[at] === STAR) {
      at += 1;
      afterStar = at;
      retry = index;
      continue;
    }
    const next = at < pattern.length ? matchOne(pattern, at, text[index]!) : -1;
    if (next !== -1) {
      at = next;
      index += 1;
    } else if (afterStar !== -1) {
      retry += 1;
      at = afterStar;
      index = retry;
    } else return false;
  }
  while (pattern[at] === STAR) at += 1;
  return at === pattern.length;
}

/** Matches one byte with a part of a pattern other than a star. Returns the index after that part; -1 if it does not match. */
function matchOne(pattern: Buffer, at: number, byte: number): number {
  switch (pattern[at]) {
    case QUESTION_MARK:
      return at + 1;
    case OPEN_BRACKET:
      return matchClass(pattern, at + 1, byte);
    case BACKSLASH:
      if (at + 1 < pattern.length) return pattern[at + 1] === byte ? at + 2 : -1;
      break;
  }
  return pattern[at] === byte ? at + 1 : -1;
}

/** As {@link matchOne}, from behind an opening bracket. A class without its closing bracket ends with the pattern. */
function matchClass(pattern: Buffer, start: number, byte: number): number {
  const isNegated = pattern[start] === CARET;
  let at = isNegated ? start + 1 : start;
  let isIn = false;
  for (; at < pattern.length && pattern[at] !== CLOSE_BRACKET; at += 1) {
    if (pattern[at] === BACKSLASH && at + 1 < pattern.length) {
      at += 1;
      isIn ||= pattern[at] === byte;
    } else if (pattern[at + 1] === MINUS && at + 2 < pattern.length) {
      const [first, last] = [pattern[at]!, pattern[at + 2]!];
      isIn ||= byte >= Math.min(first, last) && byte <= Math.max(first, last);
      at += 2;
    } else isIn ||= pattern[at] === byte;
  }
  return isIn === isNegated ? -1 : Math.min(at + 1, pattern.length);
}
