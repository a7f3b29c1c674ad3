/** A reply written plainly: a string stands for a bulk string. */
export type Plain = null | number | string | Plain[];

/**
 * A call of a method, the words it sends, a reply, and the value that it gives. A word that went through the codec
 * is written `<JSON>`. Without a value: the reply as it is.
 */
export type Sample = [args: unknown[], sends: string, reply: Plain, gives?: unknown];

/** At least one sample for each method of a group. */
export type Samples<Group> = Record<keyof Group, [Sample, ...Sample[]]>;
