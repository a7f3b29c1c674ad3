import type { RedisSortedSetMember } from "js-redis-server/core";
import { IndexedMap } from "./indexed-map.js";
import { SortedBlocks } from "./sorted-blocks.js";

export type Member = Readonly<RedisSortedSetMember>;

/** Orders members by their score, then by their bytes. */
export function byScore(left: Member, right: Member): number {
  if (left.score !== right.score) return left.score < right.score ? -1 : 1;
  return Buffer.compare(left.member, right.member);
}

/** The members of a sorted set by their hex. {@link values} iterates them in the order of their scores. */
export class SortedMembers extends IndexedMap<Member> {
  /** The members in order: read it, never change it. */
  readonly order = new SortedBlocks(byScore);

  override set(id: string, member: Member): this {
    const old = this.get(id);
    if (old) this.order.delete(old);
    this.order.add(member);
    return super.set(id, member);
  }

  override delete(id: string): boolean {
    const old = this.get(id);
    if (old) this.order.delete(old);
    return super.delete(id);
  }

  override clear(): void {
    this.order.clear();
    super.clear();
  }

  override values(): MapIterator<Member> {
    return this.order[Symbol.iterator]() as MapIterator<Member>;
  }
}
