import type { Reply } from "../../support/differential/replies.js";

export const NULL = "$-1";
export const WRONGTYPE = "-WRONGTYPE Operation against a key holding the wrong kind of value";
export const NO_KEY = "-ERR could not perform this operation on a key that doesn't exist";
export const bulk = (text: string) => `$${text}`;
export const json = (value: unknown) => `$${JSON.stringify(value)}`;
export const number = (value: number) => `:${value}`;

/** The arguments of a command, separated by spaces or one by one. */
type CommandText = string | readonly string[];

export const argsOf = (command: CommandText): readonly string[] =>
  typeof command === "string" ? command.split(" ") : command;

/** A document to begin with, and commands on it with their replies. `d` is its key. */
export interface Example {
  readonly document: unknown;
  readonly steps: readonly (readonly [command: CommandText, reply: Reply])[];
}

const bike = (model: string, price: number, material: string, weight: number, colors?: string[]) => ({
  ...{ model, price, specs: { material, weight } },
  ...(colors ? { colors } : {}),
});
const MOUNTAIN = [
  bike("Phoebe", 1920, "carbon", 13.1, ["black", "silver"]),
  bike("Quaoar", 2072, "aluminium", 7.9, ["black", "white"]),
  bike("Weywot", 3264, "alloy", 13.8),
];
const COMMUTER = [
  bike("Salacia", 1475, "aluminium", 16.6, ["black", "silver"]),
  bike("Mimas", 3941, "alloy", 11.6),
];
const BIKES = { inventory: { mountain_bikes: MOUNTAIN, commuter_bikes: COMMUTER } };
const find = (path: string, values: unknown) => [["JSON.GET", "d", path], json(values)] as const;

/**
 * Replies of RedisJSON. They include the examples of redis.io/docs/latest/commands/json.* and
 * redis.io/docs/latest/develop/data-types/json with our own texts, except those for Redis 8.8 and later (FPHA, JSONPath functions).
 */
export const EXAMPLES: Record<string, Example> = {
  "only a path of names and indexes, which ends in a name, adds a member": {
    document: { a: [{}, { b: 1 }] },
    steps: [
      ["JSON.SET d $.a[2] 1", "-ERR array index out of range"],
      ["JSON.MSET d $.a[2] 1", "-ERR array index out of range"],
      ["JSON.SET d $.a[*].c 1", "-ERR wrong static path"],
      ["JSON.SET d $..c 1 NX", "-ERR wrong static path"],
      ["JSON.SET d $.a[0,1].b 1", "+OK"],
      ["JSON.SET d $.a[0].c 1", "+OK"],
      ["JSON.GET d", json({ a: [{ c: 1 }, { b: 1 }] })],
    ],
  },
  "SET replaces, adds and does nothing": {
    document: { a: 2 },
    steps: [
      ["JSON.SET d $.a 3", "+OK"],
      ["JSON.GET d $", json([{ a: 3 }])],
      ["JSON.SET d $.b 8", "+OK"],
      ["JSON.GET d $", json([{ a: 3, b: 8 }])],
      ["JSON.SET d $.b 9 NX", NULL],
      ["JSON.SET d $.c 9 XX", NULL],
      ["JSON.SET d $.c 9 NX", "+OK"],
      ["JSON.SET d $.c 10 XX", "+OK"],
      ["JSON.SET d $.x.y 1", NULL],
      [`JSON.SET d $['e'] 5`, "+OK"],
      ["JSON.DEL d .e", number(1)],
      ["JSON.SET other $.x 1", "-ERR new objects must be created at the root"],
      ["JSON.SET d $ {", "-ERR value is not valid JSON"],
      ["JSON.SET d $ 1 AA", "-ERR syntax error"],
      ["JSON.SET d $[ 1", "-ERR Path '$[' is malformed"],
    ],
  },
  "SET at several places": {
    document: { f1: { a: 1 }, f2: { a: 2 } },
    steps: [
      ["JSON.SET d $..a 3", "+OK"],
      ["JSON.GET d", json({ f1: { a: 3 }, f2: { a: 3 } })],
    ],
  },
  "GET by one path and several": {
    document: { a: 2, b: 3, nested: { a: 4, b: null } },
    steps: [
      ["JSON.GET d $..b", json([3, null])],
      ["JSON.GET d ..a $..b", json({ "..a": [2, 4], "$..b": [3, null] })],
      ["JSON.GET d .nested.a", json(4)],
      ["JSON.GET d a b", json({ a: 2, b: 3 })],
      ["JSON.GET d $.none", json([])],
      ["JSON.GET d .none", "-ERR Path '.none' does not exist"],
      ["JSON.GET none $", NULL],
    ],
  },
  "GET formats": {
    document: { a: [1, {}], b: {} },
    steps: [
      ["JSON.GET d INDENT > NEWLINE | SPACE _", bulk('{|>"a":_[|>>1,|>>{}|>],|>"b":_{}|}')],
      ["JSON.GET d NOESCAPE .a[0]", json(1)],
      ["JSON.GET d INDENT > NOESCAPE NEWLINE | $.a[0]", bulk("[|>1|]")],
    ],
  },
  "a name such as __proto__ is a name like any other": {
    document: { ["__proto__"]: { a: 1 } },
    steps: [
      ["JSON.SET d $.__proto__.b 2", "+OK"],
      ["JSON.SET d $.constructor 3", "+OK"],
      ["JSON.GET d", bulk('{"__proto__":{"a":1,"b":2},"constructor":3}')],
      ["JSON.SET d $ {}", "+OK"],
      ["JSON.SET d $.__proto__ 4", "+OK"],
      ["JSON.GET d $.__proto__", "$[4]"],
      ["JSON.GET d", bulk('{"__proto__":4}')],
    ],
  },
  MGET: {
    document: { a: 1, b: 2, nested: { a: 3 }, c: null },
    steps: [
      ['JSON.SET e $ {"a":4,"b":5,"nested":{"a":6},"c":null}', "+OK"],
      ["SET text x", "+OK"],
      ["JSON.MGET d e none text $..a", [json([1, 3]), json([4, 6]), NULL, NULL]],
      ["JSON.MGET d e .b", [json(2), json(5)]],
    ],
  },
  MSET: {
    document: {},
    steps: [
      ['JSON.MSET d $ {"a":2} e $ {"f":{"a":1}}', "+OK"],
      ["JSON.MSET d $.a 1 e $.f.a 3", "+OK"],
      ["JSON.MGET d e $..a", [json([1]), json([3])]],
      ["JSON.MSET d $.a 5 new $.x 1", "-ERR new objects must be created at the root"],
      ["JSON.GET d $.a", json([1])],
      ["JSON.MSET d $ 1 e $", "-ERR wrong number of arguments for 'json.mset' command"],
    ],
  },
  "MERGE creates, replaces and removes": {
    document: { a: 2 },
    steps: [
      ["JSON.MERGE d $.b 8", "+OK"],
      ["JSON.GET d $", json([{ a: 2, b: 8 }])],
      ["JSON.MERGE d $.a 3", "+OK"],
      ['JSON.MERGE d $ {"a":null}', "+OK"],
      ["JSON.GET d $", json([{ b: 8 }])],
      ["JSON.SET d $.list [2,4,6,8]", "+OK"],
      ["JSON.MERGE d $.list [10,12]", "+OK"],
      ['JSON.MERGE d $ {"list":null,"f":{"x":{"y":null,"z":1}}}', "+OK"],
      ["JSON.GET d $", json([{ b: 8, f: { x: { z: 1 } } }])],
      ['JSON.MERGE new $ {"a":null,"b":1}', "+OK"],
      ["JSON.GET new", json({ a: null, b: 1 })],
      ["JSON.SET new $.list [1,2,3,4]", "+OK"],
      ["JSON.MERGE new $.list[0,2] null", "+OK"],
      ["JSON.MERGE new $.b null", "+OK"],
      ['JSON.MERGE new $.c {"d":null}', "+OK"],
      ["JSON.GET new", json({ a: null, b: null, list: [null, 2, null, 4], c: { d: null } })],
    ],
  },
  "DEL and FORGET": {
    document: { a: 1, nested: { a: 2, b: 3 } },
    steps: [
      ["JSON.DEL d $..a", number(2)],
      ["JSON.GET d $", json([{ nested: { b: 3 } }])],
      ["JSON.FORGET d .nested.b", number(1)],
      ["JSON.DEL d $.none", number(0)],
      ["JSON.DEL d", number(1)],
      ["EXISTS d", number(0)],
      ["JSON.DEL d", number(0)],
    ],
  },
  "DEL of elements, and of values inside a value that is removed": {
    document: { a: [1, 2, 3, { a: 4 }], b: [{ x: 1 }, { x: 2 }] },
    steps: [
      ["JSON.DEL d $.a[0,2]", number(2)],
      ["JSON.GET d $.a", json([[2, { a: 4 }]])],
      ["JSON.DEL d $.b[?(@.x>1)]", number(1)],
      ["JSON.DEL d $..a", number(1)],
      ["JSON.GET d", json({ b: [{ x: 1 }] })],
    ],
  },
  "NUMINCRBY and NUMMULTBY": {
    document: { a: "b", b: [{ a: 2 }, { a: 5 }, { a: "c" }] },
    steps: [
      ["JSON.NUMINCRBY d $.a 2", json([null])],
      ["JSON.NUMINCRBY d $..a 2", json([null, 4, 7, null])],
      ["JSON.NUMMULTBY d $..a 2", json([null, 8, 14, null])],
      ["JSON.NUMINCRBY d .b[0].a -0.5", json(7.5)],
      ["JSON.NUMPOWBY d .b[1].a 2", json(196)],
      ["JSON.NUMINCRBY d .a 1", "-WRONGTYPE wrong type of path value - expected a number but found string"],
      ["JSON.NUMINCRBY d .none 1", "-ERR Path '.none' does not exist"],
      ["JSON.NUMINCRBY none $.a 1", NO_KEY],
    ],
  },
  "integers of 64 bits keep their digits": {
    document: {},
    steps: [
      [
        "JSON.SET d $ [9007199254740993,18446744073709551615,-9223372036854775808,1e400]",
        "-ERR value is not valid JSON",
      ],
      ["JSON.SET d $ [9007199254740993,18446744073709551615,-9223372036854775808]", "+OK"],
      ["JSON.NUMINCRBY d $[0] 1", "$[9007199254740994]"],
      ["JSON.GET d", "$[9007199254740994,18446744073709551615,-9223372036854775808]"],
      ["JSON.TYPE d $[*]", ["$integer", "$integer", "$integer"]],
      ["JSON.SET d $ \xff", "-ERR value is not valid UTF-8"],
    ],
  },
  "STRAPPEND and STRLEN": {
    document: { a: "foo", nested: { a: "hello" }, nested2: { a: 31 } },
    steps: [
      ['JSON.STRAPPEND d $..a "baz"', [number(6), number(8), NULL]],
      ["JSON.GET d $", json([{ a: "foobaz", nested: { a: "hellobaz" }, nested2: { a: 31 } }])],
      ["JSON.STRLEN d $..a", [number(6), number(8), NULL]],
      ["JSON.STRLEN d .a", number(6)],
      ["JSON.STRLEN none", NULL],
      ["JSON.STRAPPEND d $.a 1", "-WRONGTYPE wrong type of path value - expected string but found integer"],
      ['JSON.STRAPPEND none $ "x"', NO_KEY],
    ],
  },
  "arrays grow and shrink": {
    document: { name: "N", colors: ["black", "silver"] },
    steps: [
      ['JSON.ARRAPPEND d $.colors "blue"', [number(3)]],
      ['JSON.ARRINSERT d $.colors 2 "yellow" "gold"', [number(5)]],
      ["JSON.GET d $.colors", json([["black", "silver", "yellow", "gold", "blue"]])],
      ["JSON.ARRINSERT d $.colors 9 1", "-ERR index out of bounds"],
      ['JSON.ARRINDEX d $..colors "silver"', [number(1)]],
      ['JSON.ARRINDEX d $..colors "none"', [number(-1)]],
      ["JSON.ARRLEN d $.colors", [number(5)]],
      ["JSON.ARRLEN d $.name", [NULL]],
      ["JSON.ARRLEN d .name", "-WRONGTYPE wrong type of path value - expected array but found string"],
      ["JSON.ARRTRIM d $.colors 1 1", [number(1)]],
      ["JSON.ARRPOP d $.colors", [json("silver")]],
      ["JSON.ARRPOP d $.colors", [NULL]],
      ["JSON.ARRPOP d $.name", [NULL]],
      ["JSON.ARRLEN none", NULL],
      ["JSON.ARRLEN none $", NO_KEY],
      ["JSON.ARRAPPEND none $ 1", NO_KEY],
    ],
  },
  "arrays at several places": {
    document: { a: [3], nested: { a: [3, 4] }, other: { a: 1 } },
    steps: [
      ["JSON.ARRAPPEND d $..a 1 2", [number(3), number(4), NULL]],
      ["JSON.ARRPOP d $..a 0", [json(3), json(3), NULL]],
      ["JSON.ARRINDEX d $..a 2", [number(1), number(2), NULL]],
      ["JSON.ARRINDEX d $..a 2 0 1", [number(-1), number(-1), NULL]],
      ["JSON.ARRINDEX d $.nested.a 2 -1", [number(2)]],
      ["JSON.ARRTRIM d $..a 0 0", [number(1), number(1), NULL]],
      ["JSON.ARRINDEX d $..a 1 9", [number(0), number(-1), NULL]],
      ["JSON.ARRTRIM d $..a 0 -9", [number(1), number(1), NULL]],
      ["JSON.ARRTRIM d $..a 5 9", [number(0), number(0), NULL]],
      ["JSON.GET d", json({ a: [], nested: { a: [] }, other: { a: 1 } })],
    ],
  },
  CLEAR: {
    document: { obj: { a: 1, b: 2 }, arr: [1, 2, 3], str: "foo", bool: true, int: 42, float: 3.14 },
    steps: [
      ["JSON.CLEAR d $.*", number(4)],
      ["JSON.GET d $", json([{ obj: {}, arr: [], str: "foo", bool: true, int: 0, float: 0 }])],
      ["JSON.CLEAR d $.*", number(0)],
      ["JSON.CLEAR d", number(1)],
      ["JSON.GET d", json({})],
      ["JSON.CLEAR none", NO_KEY],
    ],
  },
  "TYPE, OBJKEYS and OBJLEN": {
    document: { a: [3], nested: { a: { b: 2, c: 1 } }, x: null, f: 1.5, t: true },
    steps: [
      ["JSON.TYPE d", "$object"],
      ["JSON.TYPE d $..a", ["$array", "$object"]],
      ["JSON.TYPE d $.*", ["$array", "$object", "$null", "$number", "$boolean"]],
      ["JSON.TYPE d .none", NULL],
      ["JSON.TYPE d $..none", []],
      ["JSON.TYPE none", NULL],
      ["JSON.OBJKEYS d $..a", [NULL, ["$b", "$c"]]],
      ["JSON.OBJKEYS d .nested.a", ["$b", "$c"]],
      ["JSON.OBJKEYS d $.none", []],
      ["JSON.OBJKEYS d .none", NULL],
      ["JSON.OBJKEYS d .a", "-WRONGTYPE wrong type of path value - expected object but found array"],
      ["JSON.OBJKEYS none", NULL],
      ["JSON.OBJKEYS none $", NO_KEY],
      ["JSON.OBJLEN d $..a", [NULL, number(2)]],
      ["JSON.OBJLEN d", number(5)],
      ["JSON.OBJLEN d .none", NULL],
      ["JSON.OBJLEN none", NULL],
      ["JSON.OBJLEN none $", NO_KEY],
    ],
  },
  TOGGLE: {
    document: { bool: true, n: 1 },
    steps: [
      ["JSON.TOGGLE d $.bool", [number(0)]],
      ["JSON.GET d $", json([{ bool: false, n: 1 }])],
      ["JSON.TOGGLE d $.*", [number(1), NULL]],
      ["JSON.TOGGLE d .bool", "$false"],
      ["JSON.TOGGLE none $", NO_KEY],
    ],
  },
  RESP: {
    document: { name: "W", c: { on: true }, price: 99.98, stock: 25, colors: ["black"], n: null },
    steps: [
      [
        "JSON.RESP d",
        [
          "+{",
          "$name",
          "$W",
          "$c",
          ["+{", "$on", "+true"],
          "$price",
          "$99.98",
          "$stock",
          ":25",
          "$colors",
          ["+[", "$black"],
          "$n",
          NULL,
        ],
      ],
      ["JSON.RESP d $.stock", [":25"]],
      ["JSON.RESP none", NULL],
    ],
  },
  "paths select by name, index, slice and filter": {
    document: BIKES,
    steps: [
      find("$.inventory.*", [MOUNTAIN, COMMUTER]),
      ...[
        "$.inventory.mountain_bikes[*].model",
        '$.inventory["mountain_bikes"][*].model',
        "$['inventory']['mountain_bikes'][*].model",
        "$..mountain_bikes.[*].model",
      ].map((path) => find(path, ["Phoebe", "Quaoar", "Weywot"])),
      find("$..model", ["Phoebe", "Quaoar", "Weywot", "Salacia", "Mimas"]),
      find("$..mountain_bikes[0:2].model", ["Phoebe", "Quaoar"]),
      find("$..mountain_bikes[-1].model", ["Weywot"]),
      ...[
        ".inventory.commuter_bikes[0].model",
        "inventory.commuter_bikes[0].model",
        'inventory["commuter_bikes"][0].model',
        `['inventory']["commuter_bikes"][0].model`,
      ].map((path) => find(path, "Salacia")),
      find("$..[?(@.colors)].model", ["Phoebe", "Quaoar", "Salacia"]),
      find("$..mountain_bikes[?(@.price < 3000 && @.specs.weight < 10)]", [MOUNTAIN[1]]),
      find('$..[?(@.specs.material == "alloy")].model', ["Weywot", "Mimas"]),
      find('$..[?(@.specs.material =~ "(?i)AL")].model', ["Quaoar", "Weywot", "Salacia", "Mimas"]),
      find('$..[?(@.specs.material=~"^al" && @.price < 3000 )].model', ["Quaoar", "Salacia"]),
      find('$..[?(@.model =~ "=~")].model', []),
      find('$..[?("a =~ b" == "a =~ b" && @.price =~ "1")].model', []),
      find('$..[?(@.model =~ "(")].model', []),
      ...[0, 1, 2].map(
        (at) => [`JSON.SET d $.inventory.mountain_bikes[${at}].regex_pat "(?i)al"`, "+OK"] as const,
      ),
      find("$.inventory.mountain_bikes[?(@.specs.material =~ @.regex_pat)].model", ["Quaoar", "Weywot"]),
    ],
  },
  "paths update several places": {
    document: BIKES,
    steps: [
      ["JSON.NUMINCRBY d $..price -100", json([1820, 1972, 3164, 1375, 3841])],
      ["JSON.SET d $.inventory.*[?(@.price<1900)].price 1500", "+OK"],
      find("$..price", [1500, 1972, 3164, 1500, 3841]),
      ['JSON.ARRAPPEND d $.inventory.*[?(@.price<1972)].colors "pink"', [number(3), number(3)]],
      find("$..[*].colors", [
        ["black", "silver", "pink"],
        ["black", "white"],
        ["black", "silver", "pink"],
      ]),
    ],
  },
  "the root is not an object": {
    document: "Hyperion",
    steps: [
      ["JSON.TYPE d $", ["$string"]],
      [["JSON.STRAPPEND", "d", "$", '" (Enduro bikes)"'], [number(23)]],
      ["JSON.GET d $", json(["Hyperion (Enduro bikes)"])],
      ["JSON.SET d . 0", "+OK"],
      ["JSON.NUMINCRBY d $ 1.5", json([1.5])],
      ["JSON.NUMMULTBY d $ 24", json([36])],
      ["JSON.SET d $.x.y 2", NULL],
      ["JSON.SET none $ 5 XX", NULL],
      ['JSON.SET d $ ["Deimos",{"crashes":0},null]', "+OK"],
      ["JSON.GET d $[1].crashes", json([0])],
      ["JSON.DEL d $[-1]", number(1)],
      ["JSON.ARRPOP d $", [json({ crashes: 0 })]],
      ["JSON.GET d", json(["Deimos"])],
    ],
  },
};
