import type { Requester } from "../options.js";
import { refuse as refuseIndex } from "./refusal.js";
import type { FlatIndexSchema, InferFilterFromSchema, NestedIndexSchema } from "./schema.js";

type Schema = NestedIndexSchema | FlatIndexSchema;

export interface CreateIndexParameters<TSchema extends Schema> {
  name: string;
  dataType: "string" | "json" | "hash" | "stream";
  prefix?: string | string[];
  stream?: string;
  schema: TSchema;
  language?: string;
  skipInitialScan?: boolean;
  existsOk?: boolean;
}

export interface SearchIndexParameters<TSchema extends Schema> {
  name: string;
  client: Requester;
  schema?: TSchema;
}

/** A document that a query found. */
export interface QueryResult<_TSchema extends Schema = Schema, _TOptions = unknown> {
  key: string;
  score: number;
  data: any;
}

const refuse = (method: string) =>
  refuseIndex(method, "search", "for Redis's own search, see warmline/modules");

/** A search index of Upstash's own server. Every call rejects with an UpstashError. */
export class SearchIndex<TSchema extends Schema = Schema> {
  readonly name: string;
  readonly schema?: TSchema | undefined;

  constructor({ name, schema }: SearchIndexParameters<TSchema>) {
    this.name = name;
    this.schema = schema;
  }

  waitIndexing(): Promise<0 | 1> {
    return refuse("SearchIndex.waitIndexing");
  }

  describe(): Promise<unknown> {
    return refuse("SearchIndex.describe");
  }

  query<TOptions extends { filter?: InferFilterFromSchema<TSchema> }>(
    _options?: TOptions,
  ): Promise<QueryResult<TSchema, TOptions>[]> {
    return refuse("SearchIndex.query");
  }

  aggregate(_options: object): Promise<Record<string, any>> {
    return refuse("SearchIndex.aggregate");
  }

  count(_options: { filter: InferFilterFromSchema<TSchema> }): Promise<{ count: number }> {
    return refuse("SearchIndex.count");
  }

  drop(): Promise<0 | 1> {
    return refuse("SearchIndex.drop");
  }

  addAlias(_options: { alias: string }): Promise<1> {
    return refuse("SearchIndex.addAlias");
  }
}

/** `redis.search`. */
export const search = {
  createIndex: <TSchema extends Schema>(
    _parameters: CreateIndexParameters<TSchema>,
  ): Promise<SearchIndex<TSchema>> => refuse("search.createIndex"),
  index: <TSchema extends Schema>(parameters: { name: string; schema?: TSchema }): SearchIndex<TSchema> =>
    new SearchIndex(parameters as SearchIndexParameters<TSchema>),
  alias: {
    list: (): Promise<Record<string, string>> => refuse("search.alias.list"),
    add: (_alias: { indexName: string; alias: string }): Promise<0 | 1 | 2> => refuse("search.alias.add"),
    delete: (_alias: { alias: string }): Promise<0 | 1> => refuse("search.alias.delete"),
  },
};
