import type { Requester } from "../options.js";
import { refuse as refuseIndex } from "./refusal.js";

export type VectorMetric = "COSINE" | "EUCLIDEAN" | "DOT";
export type VectorQueryProfile = "FAST" | "BALANCED" | "PRECISE";
export type VectorInput = number[] | Float32Array | { base64: string };

export interface VectorCreateOptions {
  dimension: number;
  metric: VectorMetric;
  existsOk?: boolean;
}

export type CreateVectorIndexParameters = VectorCreateOptions & { name: string };

export interface VectorQueryOptions {
  vector: VectorInput;
  topK: number;
  profile?: VectorQueryProfile;
}

export interface VectorQueryResult {
  id: string;
  score: number;
}

export interface VectorIndexInfo {
  dimension: number;
  metric: VectorMetric;
}

export interface VectorIndexParameters {
  name: string;
  client: Requester;
}

const refuse = (method: string) =>
  refuseIndex(method, "vector", "for Redis's own vector sets, use methods such as vadd and vsim");

/** A vector index of Upstash's own server. Every call rejects with an UpstashError. */
export class VectorIndex {
  readonly name: string;

  constructor({ name }: VectorIndexParameters) {
    this.name = name;
  }

  add(_id: string, _vector: VectorInput): Promise<0 | 1> {
    return refuse("VectorIndex.add");
  }

  get(_id: string): Promise<number[] | null> {
    return refuse("VectorIndex.get");
  }

  query(_options: VectorQueryOptions): Promise<VectorQueryResult[]> {
    return refuse("VectorIndex.query");
  }

  delete(_id: string): Promise<0 | 1> {
    return refuse("VectorIndex.delete");
  }

  count(): Promise<number> {
    return refuse("VectorIndex.count");
  }

  info(): Promise<VectorIndexInfo | null> {
    return refuse("VectorIndex.info");
  }

  drop(): Promise<0 | 1> {
    return refuse("VectorIndex.drop");
  }
}

/** `redis.vector`. */
export const vector = {
  createIndex: (_parameters: CreateVectorIndexParameters): Promise<VectorIndex> =>
    refuse("vector.createIndex"),
  index: (name: string): VectorIndex => new VectorIndex({ name } as VectorIndexParameters),
};
