import type { BloomCommands } from "../../../../src/commands/modules/bloom.js";
import type { CuckooCommands } from "../../../../src/commands/modules/cuckoo.js";
import type { SearchCommands } from "../../../../src/commands/modules/search.js";
import type {
  CountMinCommands,
  TDigestCommands,
  TopKCommands,
} from "../../../../src/commands/modules/sketches.js";
import type { TimeSeriesCommands } from "../../../../src/commands/modules/time-series.js";
import type { ReplyMode } from "../../../../src/commands/reply-mode.js";
import type { Samples } from "./sample.js";

const bytes = new Uint8Array([97, 98]);

export const bloomSamples: Samples<BloomCommands<ReplyMode>> = {
  add: [[["k", { a: 1 }], 'BF.ADD k <{"a":1}>', 1]],
  card: [[["k"], "BF.CARD k", 3]],
  exists: [[["k", "x"], 'BF.EXISTS k <"x">', 0]],
  info: [[["k"], "BF.INFO k", ["Capacity", 100, "Size", 240], { Capacity: 100, Size: 240 }]],
  insert: [
    [["k", {}, "x", [1]], 'BF.INSERT k ITEMS <"x"> <[1]>', [1, 0]],
    [
      ["k", { capacity: 10, error: 0.01, expansion: 2, noCreate: true, nonScaling: true }, "x"],
      'BF.INSERT k CAPACITY 10 ERROR 0.01 EXPANSION 2 NOCREATE NONSCALING ITEMS <"x">',
      [1],
    ],
  ],
  loadchunk: [[["k", 1, "ab"], "BF.LOADCHUNK k 1 ab", "OK"]],
  madd: [[["k", 1, 2], "BF.MADD k <1> <2>", [1, 0]]],
  mexists: [[["k", 1, 2], "BF.MEXISTS k <1> <2>", [1, 0]]],
  reserve: [
    [["k", 0.01, 100], "BF.RESERVE k 0.01 100", "OK"],
    [
      ["k", 0.01, 100, { expansion: 4, nonScaling: true }],
      "BF.RESERVE k 0.01 100 EXPANSION 4 NONSCALING",
      "OK",
    ],
  ],
  scandump: [
    [["k", 0], "BF.SCANDUMP k 0", [1, "ab"], [1, bytes]],
    [["k", 1], "BF.SCANDUMP k 1", [0, null], [0, new Uint8Array()]],
  ],
};

export const cuckooSamples: Samples<CuckooCommands<ReplyMode>> = {
  add: [[["k", 1], "CF.ADD k <1>", 1]],
  addnx: [[["k", 1], "CF.ADDNX k <1>", 0]],
  compact: [[["k"], "CF.COMPACT k", "OK"]],
  count: [[["k", 1], "CF.COUNT k <1>", 2]],
  del: [[["k", 1], "CF.DEL k <1>", 1]],
  exists: [[["k", 1], "CF.EXISTS k <1>", 1]],
  info: [[["k"], "CF.INFO k", ["Size", 1080], { Size: 1080 }]],
  insert: [
    [
      ["k", { capacity: 10, noCreate: true }, 1, 2],
      "CF.INSERT k CAPACITY 10 NOCREATE ITEMS <1> <2>",
      [1, -1],
    ],
  ],
  insertnx: [[["k", {}, 1], "CF.INSERTNX k ITEMS <1>", [0]]],
  loadchunk: [[["k", 1, "ab"], "CF.LOADCHUNK k 1 ab", "OK"]],
  mexists: [[["k", 1, 2], "CF.MEXISTS k <1> <2>", [1, 0]]],
  reserve: [
    [
      ["k", 100, { bucketSize: 2, maxIterations: 20, expansion: 1 }],
      "CF.RESERVE k 100 BUCKETSIZE 2 MAXITERATIONS 20 EXPANSION 1",
      "OK",
    ],
  ],
  scandump: [[["k", 0], "CF.SCANDUMP k 0", [1, "ab"], [1, bytes]]],
};

export const countMinSamples: Samples<CountMinCommands<ReplyMode>> = {
  incrby: [[["k", { a: 1, b: 2 }], "CMS.INCRBY k a 1 b 2", [1, 2]]],
  info: [[["k"], "CMS.INFO k", ["width", 2000, "depth", 5], { width: 2000, depth: 5 }]],
  initbydim: [[["k", 2000, 5], "CMS.INITBYDIM k 2000 5", "OK"]],
  initbyprob: [[["k", 0.001, 0.01], "CMS.INITBYPROB k 0.001 0.01", "OK"]],
  merge: [
    [["d", ["a", "b"]], "CMS.MERGE d 2 a b", "OK"],
    [["d", ["a", "b"], { weights: [1, 3] }], "CMS.MERGE d 2 a b WEIGHTS 1 3", "OK"],
  ],
  query: [[["k", "a", "b"], 'CMS.QUERY k <"a"> <"b">', [1, 0]]],
};

export const topKSamples: Samples<TopKCommands<ReplyMode>> = {
  add: [[["k", "a", "b"], 'TOPK.ADD k <"a"> <"b">', [null, "7"], [null, 7]]],
  count: [[["k", "a"], 'TOPK.COUNT k <"a">', [3]]],
  incrby: [[["k", { a: 3 }], "TOPK.INCRBY k a 3", [null]]],
  info: [[["k"], "TOPK.INFO k", ["k", 50, "decay", "0.9"], { k: 50, decay: "0.9" }]],
  list: [
    [["k"], "TOPK.LIST k", ["a", "7"], ["a", 7]],
    [["k", true], "TOPK.LIST k WITHCOUNT", ["a", 3, "7", 1], ["a", 3, 7, 1]],
  ],
  query: [[["k", "a", "b"], 'TOPK.QUERY k <"a"> <"b">', [1, 0]]],
  reserve: [
    [["k", 10], "TOPK.RESERVE k 10", "OK"],
    [["k", 10, 2000, 7, 0.9], "TOPK.RESERVE k 10 2000 7 0.9", "OK"],
  ],
};

export const tDigestSamples: Samples<TDigestCommands<ReplyMode>> = {
  add: [[["k", 1, 2.5], "TDIGEST.ADD k 1 2.5", "OK"]],
  byrank: [[["k", 0, 9], "TDIGEST.BYRANK k 0 9", ["1", "inf"], [1, Number.POSITIVE_INFINITY]]],
  byrevrank: [[["k", 0], "TDIGEST.BYREVRANK k 0", ["2.5"], [2.5]]],
  cdf: [[["k", 1], "TDIGEST.CDF k 1", ["0.25"], [0.25]]],
  create: [
    [["k"], "TDIGEST.CREATE k", "OK"],
    [["k", { compression: 200 }], "TDIGEST.CREATE k COMPRESSION 200", "OK"],
  ],
  info: [[["k"], "TDIGEST.INFO k", ["Compression", 100], { Compression: 100 }]],
  max: [[["k"], "TDIGEST.MAX k", "2.5", 2.5]],
  merge: [
    [
      ["d", ["a", "b"], { compression: 50, override: true }],
      "TDIGEST.MERGE d 2 a b COMPRESSION 50 OVERRIDE",
      "OK",
    ],
  ],
  min: [[["k"], "TDIGEST.MIN k", "nan", Number.NaN]],
  quantile: [[["k", 0, 0.5], "TDIGEST.QUANTILE k 0 0.5", ["1", "2"], [1, 2]]],
  rank: [[["k", 0, 5], "TDIGEST.RANK k 0 5", [-1, 2]]],
  reset: [[["k"], "TDIGEST.RESET k", "OK"]],
  revrank: [[["k", 1], "TDIGEST.REVRANK k 1", [1]]],
  trimmedMean: [[["k", 0.1, 0.9], "TDIGEST.TRIMMED_MEAN k 0.1 0.9", "1.5", 1.5]],
};

export const timeSeriesSamples: Samples<TimeSeriesCommands<ReplyMode>> = {
  add: [
    [["k", "*", 1.5], "TS.ADD k * 1.5", 1700000000000],
    [
      [
        "k",
        5,
        1,
        {
          retention: 9,
          encoding: "COMPRESSED",
          chunkSize: 4096,
          onDuplicate: "LAST",
          ignore: [1, 2],
          labels: { a: "x", b: 2 },
        },
      ],
      "TS.ADD k 5 1 RETENTION 9 ENCODING COMPRESSED CHUNK_SIZE 4096 ON_DUPLICATE LAST IGNORE 1 2 LABELS a x b 2",
      5,
    ],
  ],
  alter: [[["k", { retention: 9, labels: { a: "x" } }], "TS.ALTER k RETENTION 9 LABELS a x", "OK"]],
  create: [
    [["k"], "TS.CREATE k", "OK"],
    [["k", { duplicatePolicy: "SUM" }], "TS.CREATE k DUPLICATE_POLICY SUM", "OK"],
  ],
  createrule: [
    [["a", "b", "avg", 60000], "TS.CREATERULE a b AGGREGATION avg 60000", "OK"],
    [["a", "b", "avg", 60000, 5], "TS.CREATERULE a b AGGREGATION avg 60000 5", "OK"],
  ],
  decrby: [[["k", 2, { timestamp: 7 }], "TS.DECRBY k 2 TIMESTAMP 7", 7]],
  del: [[["k", 1, 9], "TS.DEL k 1 9", 3]],
  deleterule: [[["a", "b"], "TS.DELETERULE a b", "OK"]],
  get: [
    [["k"], "TS.GET k", [5, "1.5"], [5, 1.5]],
    [["k", { latest: true }], "TS.GET k LATEST", [], null],
  ],
  incrby: [[["k", 2], "TS.INCRBY k 2", 7]],
  info: [
    [
      ["k"],
      "TS.INFO k",
      ["totalSamples", 3, "labels", [["a", "x"]]],
      { totalSamples: 3, labels: [["a", "x"]] },
    ],
  ],
  madd: [
    [
      [
        ["a", 1, 2],
        ["b", "*", 3],
      ],
      "TS.MADD a 1 2 b * 3",
      [1, 9],
    ],
  ],
  mget: [
    [[["a=x"]], "TS.MGET FILTER a=x", [["k", [], [5, "1"]]], [["k", [], [5, 1]]]],
    [
      [["a=x", "b!="], { latest: true, withLabels: true }],
      "TS.MGET LATEST WITHLABELS FILTER a=x b!=",
      [["k", [["a", "x"]], []]],
      [["k", [["a", "x"]], null]],
    ],
  ],
  mrange: [
    [["-", "+", ["a=x"]], "TS.MRANGE - + FILTER a=x", [["k", [], [[1, "2"]]]], [["k", [], [[1, 2]]]]],
    [
      [
        0,
        9,
        ["a=x"],
        {
          selectedLabels: ["a", "b"],
          count: 2,
          align: "start",
          aggregation: { type: "max", bucket: 5 },
          groupBy: { label: "a", reduce: "sum" },
        },
      ],
      "TS.MRANGE 0 9 SELECTED_LABELS a b COUNT 2 ALIGN start AGGREGATION max 5 FILTER a=x GROUPBY a REDUCE sum",
      [["a=x", [["a", null]], []]],
    ],
  ],
  mrevrange: [[["-", "+", ["a=x"], { withLabels: true }], "TS.MREVRANGE - + WITHLABELS FILTER a=x", []]],
  queryindex: [[["a=x"], "TS.QUERYINDEX a=x", ["1"]]],
  range: [
    [["k", "-", "+"], "TS.RANGE k - +", [[1, "2.5"]], [[1, 2.5]]],
    [
      [
        "k",
        0,
        9,
        {
          latest: true,
          filterByTs: [1, 2],
          filterByValue: [0, 5],
          count: 3,
          align: "-",
          aggregation: { type: "avg", bucket: 10, bucketTimestamp: "~", empty: true },
        },
      ],
      "TS.RANGE k 0 9 LATEST FILTER_BY_TS 1 2 FILTER_BY_VALUE 0 5 COUNT 3 ALIGN - AGGREGATION avg 10 BUCKETTIMESTAMP ~ EMPTY",
      [],
    ],
  ],
  revrange: [[["k", 0, 9], "TS.REVRANGE k 0 9", []]],
};

export const searchSamples: Samples<SearchCommands<ReplyMode>> = {
  aggregate: [
    [["i", "*"], "FT.AGGREGATE i *", [1, ["a", "1", "b", "x"]], { rows: [{ a: 1, b: "x" }] }],
    [
      [
        "i",
        "*",
        {
          load: ["@a", "@b"],
          steps: [
            {
              groupBy: ["@a"],
              reduce: [
                { function: "COUNT", as: "n" },
                { function: "SUM", args: ["@b"] },
              ],
            },
            { apply: "@n*2", as: "m" },
            { filter: "@m>1" },
            { sortBy: [["@m", "DESC"], "@a"], max: 5 },
            { limit: { offset: 0, count: 3 } },
          ],
          cursor: { count: 10, maxIdle: 500 },
          params: { p: 1 },
          dialect: 2,
        },
      ],
      "FT.AGGREGATE i * LOAD 2 @a @b GROUPBY 1 @a REDUCE COUNT 0 AS n REDUCE SUM 1 @b APPLY @n*2 AS m FILTER @m>1 SORTBY 3 @m DESC @a MAX 5 LIMIT 0 3 WITHCURSOR COUNT 10 MAXIDLE 500 PARAMS 2 p 1 DIALECT 2",
      [[1, ["m", "4"]], 77],
      { rows: [{ m: 4 }], cursor: 77 },
    ],
    [
      ["i", "*", { load: "*", verbatim: true, timeout: 9 }],
      "FT.AGGREGATE i * VERBATIM LOAD * TIMEOUT 9",
      [0],
      { rows: [] },
    ],
  ],
  aliasadd: [[["a", "i"], "FT.ALIASADD a i", "OK"]],
  aliasdel: [[["a"], "FT.ALIASDEL a", "OK"]],
  aliasupdate: [[["a", "i"], "FT.ALIASUPDATE a i", "OK"]],
  alter: [
    [
      ["i", { f: { type: "TAG" } }, { skipInitialScan: true }],
      "FT.ALTER i SKIPINITIALSCAN SCHEMA ADD f TAG",
      "OK",
    ],
    [["i", { f: { type: "TAG" } }, undefined], "FT.ALTER i SCHEMA ADD f TAG", "OK"],
  ],
  create: [
    [["i", { title: { type: "TEXT" } }], "FT.CREATE i SCHEMA title TEXT", "OK"],
    [
      [
        "i",
        {
          title: { type: "TEXT", as: "t", weight: 2, noStem: true, sortable: true, unf: true },
          tags: { type: "TAG", separator: ";", caseSensitive: true, withSuffixTrie: true, noIndex: true },
          v: {
            type: "VECTOR",
            algorithm: "FLAT",
            attributes: { TYPE: "FLOAT32", DIM: 2, DISTANCE_METRIC: "L2" },
          },
          shape: { type: "GEOSHAPE", coordSystem: "FLAT" },
        },
        {
          on: "JSON",
          prefix: ["a:", "b:"],
          filter: "@x>1",
          language: "french",
          score: 0.5,
          temporary: 60,
          noOffsets: true,
          stopwords: [],
          skipInitialScan: true,
        },
      ],
      "FT.CREATE i ON JSON PREFIX 2 a: b: FILTER @x>1 LANGUAGE french SCORE 0.5 TEMPORARY 60 NOOFFSETS STOPWORDS 0 SKIPINITIALSCAN SCHEMA title AS t TEXT WEIGHT 2 NOSTEM SORTABLE UNF tags TAG SEPARATOR ; CASESENSITIVE WITHSUFFIXTRIE NOINDEX v VECTOR FLAT 6 TYPE FLOAT32 DIM 2 DISTANCE_METRIC L2 shape GEOSHAPE FLAT",
      "OK",
    ],
  ],
  cursorDel: [[["i", 77], "FT.CURSOR DEL i 77", "OK"]],
  cursorRead: [
    [
      ["i", 77, { count: 5 }],
      "FT.CURSOR READ i 77 COUNT 5",
      [[0, ["a", "1"]], 0],
      { rows: [{ a: 1 }], cursor: 0 },
    ],
  ],
  dictadd: [[["d", "a", "b"], "FT.DICTADD d a b", 2]],
  dictdel: [[["d", "a"], "FT.DICTDEL d a", 1]],
  dictdump: [[["d"], "FT.DICTDUMP d", ["1"]]],
  dropindex: [[["i", { dd: true }], "FT.DROPINDEX i DD", "OK"]],
  explain: [[["i", "q", { dialect: 2 }], "FT.EXPLAIN i q DIALECT 2", "q\n"]],
  explaincli: [[["i", "q"], "FT.EXPLAINCLI i q", ["q", ""]]],
  info: [[["i"], "FT.INFO i", ["index_name", "i", "num_docs", "2"], { index_name: "i", num_docs: "2" }]],
  profile: [[["i", "SEARCH", "q", { limited: true }], "FT.PROFILE i SEARCH LIMITED QUERY q", [[0], []]]],
  search: [
    [
      ["i", "*"],
      "FT.SEARCH i *",
      [2, "doc:1", ["a", "1"], "doc:2", null],
      {
        total: 2,
        documents: [
          { id: "doc:1", fields: { a: 1 } },
          { id: "doc:2", fields: null },
        ],
      },
    ],
    [
      [
        "i",
        "*",
        {
          noContent: true,
          withScores: true,
          sortBy: { field: "a", order: "DESC" },
          limit: { offset: 0, count: 2 },
        },
      ],
      "FT.SEARCH i * NOCONTENT WITHSCORES SORTBY a DESC LIMIT 0 2",
      [5, "doc:1", "0.5"],
      { total: 5, documents: [{ id: "doc:1", score: 0.5 }] },
    ],
    [
      ["i", "*", { return: [] }],
      "FT.SEARCH i * RETURN 0",
      [2, "doc:1", "doc:2"],
      { total: 2, documents: [{ id: "doc:1" }, { id: "doc:2" }] },
    ],
    [
      [
        "i",
        "q",
        {
          inKeys: ["k1"],
          inFields: ["f"],
          return: ["a", ["$.b", "b"]],
          summarize: { fields: ["a"], frags: 1, len: 5, separator: "." },
          highlight: { tags: ["<b>", "</b>"] },
          slop: 1,
          inOrder: true,
          params: { v: "x" },
          dialect: 2,
        },
      ],
      "FT.SEARCH i q INKEYS 1 k1 INFIELDS 1 f RETURN 4 a $.b AS b SUMMARIZE FIELDS 1 a FRAGS 1 LEN 5 SEPARATOR . HIGHLIGHT TAGS <b> </b> SLOP 1 INORDER PARAMS 2 v x DIALECT 2",
      [0],
      { total: 0, documents: [] },
    ],
  ],
  spellcheck: [
    [
      ["i", "q", { distance: 2, include: "d", dialect: 2 }],
      "FT.SPELLCHECK i q DISTANCE 2 TERMS INCLUDE d DIALECT 2",
      [["TERM", "helo", [["0.5", "hello"]]]],
      { helo: [[0.5, "hello"]] },
    ],
  ],
  sugadd: [[["k", "hello", 1, { incr: true, payload: "p" }], "FT.SUGADD k hello 1 INCR PAYLOAD p", 2]],
  sugdel: [[["k", "hello"], "FT.SUGDEL k hello", 1]],
  sugget: [
    [
      ["k", "he", { fuzzy: true, withScores: true, max: 3 }],
      "FT.SUGGET k he FUZZY WITHSCORES MAX 3",
      ["hello", "1"],
    ],
    [["k", "he"], "FT.SUGGET k he", null],
  ],
  suglen: [[["k"], "FT.SUGLEN k", 2]],
  syndump: [[["i"], "FT.SYNDUMP i", ["a", ["1", "2"]], { a: ["1", "2"] }]],
  synupdate: [
    [["i", "g", ["a", "b"], { skipInitialScan: true }], "FT.SYNUPDATE i g SKIPINITIALSCAN a b", "OK"],
  ],
  tagvals: [[["i", "f"], "FT.TAGVALS i f", ["1"]]],
};
