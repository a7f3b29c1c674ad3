/** A reply in short form: a string stands for a bulk string. */
export type Plain = null | number | string | Plain[];

/**
 * The arguments of a method, the command that it sends, a reply, and the value that it returns for this reply. An argument
 * of the command that the codec encoded is written `<JSON>`.
 */
export type Sample = [args: unknown[], sends: string, reply: Plain, returns: unknown];

/** At least one sample for each method of a group. */
export type Samples<Group> = Record<keyof Group, [Sample, ...Sample[]]>;
