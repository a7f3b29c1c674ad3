import fc from "fast-check";

const range = (min: number, max: number) => fc.integer({ min, max });

/**
 * A character of any code point that UTF-8 can hold, with one to four bytes equally often: a `unit` for `fc.string()`. The unit
 * `binary` of fast-check makes a table of all of Unicode for each string, which takes seconds.
 */
export const anyCharacter = fc
  .oneof(
    range(0, 0x7f),
    range(0x80, 0x7ff),
    range(0x800, 0xd7ff),
    range(0xe000, 0xffff),
    range(0x10000, 0x10ffff),
  )
  .map((codePoint) => String.fromCodePoint(codePoint));
