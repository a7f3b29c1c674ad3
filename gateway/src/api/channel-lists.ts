import type { Sort, TopicName } from "../redis/pubsub/topic.js";
import { BadRequest } from "./bad-request.js";

/** The fields of a body that add channels: the sorts of subscriptions. */
export const SORTS: readonly Sort[] = ["subscribe", "psubscribe", "ssubscribe"];
/** The fields of a body that remove channels. */
const REMOVING = ["unsubscribe", "punsubscribe", "sunsubscribe"];

/**
 * Reads the channels and patterns that a body of `/events` adds and removes, such as `{"subscribe":["a","b"],"unsubscribe":["c"]}`.
 * @param opens whether it opens a stream, so that there is nothing to unsubscribe from
 * @param max maximum number of channels and patterns on a stream. Lists of more than twice as many names, the most that a change can
 * need, are refused before any work for each name
 * @throws {BadRequest}
 */
export function parseChannelLists(body: Buffer, opens: boolean, max: number) {
  const lists = { added: [] as TopicName[], removed: [] as TopicName[] };
  let total = 0;
  const fields: readonly string[] = opens ? SORTS : [...SORTS, ...REMOVING];
  for (const [field, names] of Object.entries(parseObject(body))) {
    if (!fields.includes(field))
      throw new BadRequest(`ERR unknown field ${JSON.stringify(field)}; known fields: ${fields.join(", ")}`);
    total += Array.isArray(names) ? names.length : 0;
    if (total > 2 * max) throw new BadRequest(tooManyChannels(max), opens ? 400 : 409);
    if (!Array.isArray(names) || !names.every((name) => typeof name === "string" && name !== ""))
      throw new BadRequest(`ERR ${field} must be a list of names, none of them empty`);
    const sort = field.replace("un", "") as Sort;
    const list = field === sort ? lists.added : lists.removed;
    for (const name of new Set<string>(names)) list.push({ sort, name: Buffer.from(name) });
  }
  return lists;
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

export function tooManyChannels(max: number): string {
  return `ERR more than ${max} channels and patterns on one event stream (setting maxStreamChannels)`;
}
