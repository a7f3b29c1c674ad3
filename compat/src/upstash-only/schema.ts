type FieldType = "TEXT" | "U64" | "I64" | "F64" | "BOOL" | "DATE" | "KEYWORD" | "FACET";

/** A field of a search index, written as a plain value. */
export type IndexField =
  | FieldType
  | { type: FieldType; fast?: boolean; noTokenize?: boolean; noStem?: boolean; from?: string };

/** The fields of an index over hashes or streams. */
export interface FlatIndexSchema {
  [name: string]: IndexField | FieldBuilder;
}

/** The fields of an index over documents. */
export interface NestedIndexSchema {
  [name: string]: IndexField | FieldBuilder | NestedIndexSchema;
}

/** A filter over the fields of a schema. */
export type InferFilterFromSchema<TSchema extends NestedIndexSchema | FlatIndexSchema> = {
  [F in keyof TSchema | "$and" | "$or" | "$must" | "$should" | "$mustNot"]?: unknown;
};

/** A field of a schema. It stores nothing, since no index can be created from it here. */
export class FieldBuilder {
  noTokenize(): this {
    return this;
  }

  noStem(): this {
    return this;
  }

  fast(): this {
    return this;
  }

  from(_field: string): this {
    return this;
  }
}

/** Builders of schemas. They do not throw, since modules call them while they are imported: only creating an index does. */
export const s = {
  string: () => new FieldBuilder(),
  number: (_type: "U64" | "I64" | "F64" = "F64") => new FieldBuilder(),
  boolean: () => new FieldBuilder(),
  date: () => new FieldBuilder(),
  keyword: () => new FieldBuilder(),
  facet: () => new FieldBuilder(),
  object: <T extends NestedIndexSchema>(fields: T): T => fields,
};
