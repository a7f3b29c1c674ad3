/** Returns commands, each of a text whose words are its arguments. */
export const commands = (...texts: string[]): string[][] => texts.map((text) => text.split(" "));
