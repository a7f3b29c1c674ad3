import { createHash } from "node:crypto";
import type { RedisStreamData } from "js-redis-server/core";
import { formatJson, parseJson } from "./json/value.js";
import { JSON_TYPE, type StoredValue } from "./stored-value.js";

// The format of DUMP and RESTORE: JSON with one character for each byte, then two bytes where Redis has the version of its
// own format, then eight bytes of a SHA-256 over all before them. No Redis has that version, so each refuses the other's.

const VERSION = Buffer.from([0xff, 0xff]);
const CHECKSUM_BYTES = 8;

/** The bytes were not made by {@link encodeValue}, or have changed since. */
export class PayloadError extends Error {}

/** Writes a value so that {@link decodeValue} can read it back, in this process or another one. */
export function encodeValue(value: StoredValue): Buffer {
  const body = Buffer.concat([Buffer.from(JSON.stringify(toPlain(value)), "latin1"), VERSION]);
  return Buffer.concat([body, checksum(body)]);
}

/** @throws PayloadError if the bytes are not those of {@link encodeValue} */
export function decodeValue(payload: Buffer): StoredValue {
  const end = payload.length - CHECKSUM_BYTES;
  const start = end - VERSION.length;
  const isOwn =
    start > 0 &&
    payload.subarray(start, end).equals(VERSION) &&
    payload.subarray(end).equals(checksum(payload.subarray(0, end)));
  if (!isOwn) throw new PayloadError("not a payload of the embedded engine");
  return fromPlain(JSON.parse(payload.toString("latin1", 0, start)));
}

function checksum(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest().subarray(0, CHECKSUM_BYTES);
}

const text = (bytes: Buffer) => bytes.toString("latin1");
const bytes = (value: string) => Buffer.from(value, "latin1");
const hex = (value: string) => bytes(value).toString("hex");

type Id = RedisStreamData["lastId"];
const idText = ({ ms, seq }: Id) => `${ms}-${seq}`;
function parseId(value: string): Id {
  const [ms, seq] = value.split("-") as [string, string];
  return { ms: BigInt(ms), seq: BigInt(seq) };
}

/** A value as JSON has it. */
type Plain = ReturnType<typeof toPlain>;

function toPlain(value: StoredValue) {
  switch (value.type) {
    case "string":
      return { type: value.type, value: text(value.value) };
    case JSON_TYPE:
      return { type: value.type, text: text(Buffer.from(formatJson(value.root))) };
    case "list":
      return { type: value.type, items: value.values.map(text) };
    case "set":
      return { type: value.type, items: [...value.members.values()].map(text) };
    case "hash":
      return {
        type: value.type,
        fields: [...value.fields.values()].map(
          (field) => [text(field.field), text(field.value), field.expiresAt ?? null] as const,
        ),
      };
    case "zset":
      // As text: JSON has no infinities.
      return {
        type: value.type,
        members: [...value.members.values()].map(
          ({ member, score }) => [text(member), String(score)] as const,
        ),
      };
    case "stream":
      return {
        type: value.type,
        entries: value.entries.map(({ id, fields }) => [idText(id), fields.map(text)] as const),
        lastId: idText(value.lastId),
        entriesAdded: value.entriesAdded,
        maxDeletedEntryId: idText(value.maxDeletedEntryId),
        groups: [...value.groups.values()].map((group) => ({
          name: text(group.name),
          lastDeliveredId: idText(group.lastDeliveredId),
          entriesRead: group.entriesRead,
          consumers: [...group.consumers.values()].map(
            ({ name, seenAt, activeAt }) => [text(name), seenAt, activeAt] as const,
          ),
          pending: [...group.pending.values()].map((entry) => {
            const consumer = text(Buffer.from(entry.consumerId, "hex"));
            return [idText(entry.id), consumer, entry.deliveredAt, entry.deliveryCount] as const;
          }),
        })),
      };
  }
}

function fromPlain(plain: Plain): StoredValue {
  switch (plain.type) {
    case "string":
      return { type: "string", value: bytes(plain.value) };
    case JSON_TYPE:
      return { type: JSON_TYPE, root: parseJson(bytes(plain.text)) };
    case "list":
      return { type: "list", values: plain.items.map(bytes) };
    case "set":
      return { type: "set", members: new Map(plain.items.map((item) => [hex(item), bytes(item)])) };
    case "hash":
      return {
        type: "hash",
        fields: new Map(
          plain.fields.map(([field, value, expiresAt]) => [
            hex(field),
            { field: bytes(field), value: bytes(value), ...(expiresAt === null ? {} : { expiresAt }) },
          ]),
        ),
      };
    case "zset":
      return {
        type: "zset",
        members: new Map(
          plain.members.map(([member, score]) => [
            hex(member),
            { member: bytes(member), score: Number(score) },
          ]),
        ),
      };
    case "stream":
      return {
        type: "stream",
        entries: plain.entries.map(([id, fields]) => ({ id: parseId(id), fields: fields.map(bytes) })),
        lastId: parseId(plain.lastId),
        entriesAdded: plain.entriesAdded,
        maxDeletedEntryId: parseId(plain.maxDeletedEntryId),
        groups: new Map(plain.groups.map((group) => [hex(group.name), groupFromPlain(group)])),
      };
    default:
      throw new PayloadError("not a type of the embedded engine");
  }
}

function groupFromPlain(group: Extract<Plain, { groups: unknown }>["groups"][number]) {
  return {
    name: bytes(group.name),
    lastDeliveredId: parseId(group.lastDeliveredId),
    entriesRead: group.entriesRead,
    consumers: new Map(
      group.consumers.map(([name, seenAt, activeAt]) => [hex(name), { name: bytes(name), seenAt, activeAt }]),
    ),
    pending: new Map(
      group.pending.map(([id, consumer, deliveredAt, deliveryCount]) => [
        id,
        { id: parseId(id), consumerId: hex(consumer), deliveredAt, deliveryCount },
      ]),
    ),
  };
}
