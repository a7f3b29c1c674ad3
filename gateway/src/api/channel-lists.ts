import type { Sort, TopicName } from "../redis/pubsub/topic.js";
import { BadRequest } from "./bad-request.js";

/** The fields of a body that add channels, and those that remove some. */
const ADDING: readonly string[] = ["subscribe", "psubscribe", "ssubscribe"] satisfies Sort[];
const REMOVING = ["unsubscribe", "punsubscribe", "sunsubscribe"];

/**
 * Reads the channels and patterns that a body of `/events` adds and removes, such as `{"subscribe":["a","b"],"unsubscribe":["c"]}`.
 * @param opens whether it opens a stream, so that there is nothing to unsubscribe from
 * @throws {BadRequest}
 */
export function parseChannelLists(body: Buffer, opens: boolean) {
  const lists = { added: [] as TopicName[], removed: [] as TopicName[] };
  const fields = opens ? ADDING : [...ADDING, ...REMOVING];
  for (const [field, names] of Object.entries(parseObject(body))) {
    if (!fields.includes(field))
      throw new BadRequest(`ERR unknown field ${JSON.stringify(field)}; known fields: ${fields.join(", ")}`);
    if (!Array.isArray(names) || !names.every((name) => typeof name === "string" && name !== ""))
      throw new BadRequest(`ERR ${field} must be a list of names, none of them empty`);
    const sort = field.replace("un", "") as Sort;
    const list = ADDING.includes(field) ? lists.added : lists.removed;
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
