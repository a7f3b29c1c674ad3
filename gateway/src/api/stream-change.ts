import type { Sort, TopicName } from "../redis/pubsub/topic.js";
import { BadRequest } from "./bad-request.js";

/** Channels of one sort, by their names as text. */
export interface NamedChannels {
  readonly sort: Sort;
  readonly names: readonly string[];
}

/** The channels and patterns that a body of `/events` adds and removes. */
export interface ChannelLists {
  readonly add: readonly NamedChannels[];
  readonly remove: readonly NamedChannels[];
}

/** A change of an open event stream, as processes pass it to each other. */
export interface StreamChange extends ChannelLists {
  readonly id: string;
  /** The owner that the stream must have. See `Quota.owner`. */
  readonly owner: string;
}

/** The result of a change. `result` is the number of channels and patterns that the stream has now. */
export type StreamReply = { readonly result: number } | { readonly status: number; readonly error: string };

/** The fields of a body that add channels, and those that remove some. */
const ADDING: readonly string[] = ["subscribe", "psubscribe", "ssubscribe"] satisfies Sort[];
const REMOVING = ["unsubscribe", "punsubscribe", "sunsubscribe"];

/**
 * Reads a body such as `{"subscribe":["a","b"],"unsubscribe":["c"]}`.
 * @param opens whether it opens a stream, so that there is nothing to unsubscribe from
 * @throws {BadRequest}
 */
export function parseChannelLists(body: Buffer, opens: boolean): ChannelLists {
  const lists = { add: [] as NamedChannels[], remove: [] as NamedChannels[] };
  const fields = opens ? ADDING : [...ADDING, ...REMOVING];
  for (const [field, names] of Object.entries(parseObject(body))) {
    if (!fields.includes(field))
      throw new BadRequest(`ERR unknown field ${JSON.stringify(field)}; known fields: ${fields.join(", ")}`);
    if (!Array.isArray(names) || !names.every((name) => typeof name === "string" && name !== ""))
      throw new BadRequest(`ERR ${field} must be a list of names, none of them empty`);
    const sort = field.replace("un", "") as Sort;
    const list = ADDING.includes(field) ? lists.add : lists.remove;
    list.push({ sort, names: [...new Set<string>(names)] });
  }
  return lists;
}

/** The names as they are sent to Redis. */
export function topicNamesOf(lists: readonly NamedChannels[]): TopicName[] {
  return lists.flatMap(({ sort, names }) => names.map((name) => ({ sort, name: Buffer.from(name) })));
}

function parseObject(body: Buffer): object {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    value = null;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new BadRequest('ERR the body must be a JSON object of lists, such as {"subscribe":["news"]}');
}
