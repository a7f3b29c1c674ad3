import type { Reply } from "../../support/differential/replies.js";
import { json, NULL } from "./json-examples.js";

/** A command, its arguments separated by spaces or given one by one, and its reply. */
type Step = readonly [command: string | readonly string[], reply: Reply];

const numbers = (...values: (number | null)[]) =>
  values.map((value) => (value === null ? NULL : `:${value}`));
const set = (key: string, value: unknown): Step => [["JSON.SET", key, "$", JSON.stringify(value)], "+OK"];

const HEADPHONES = {
  name: "H",
  connection: { wireless: true, type: "B" },
  price: 99.98,
  stock: 25,
  colors: ["black", "silver"],
};
const EARBUDS = {
  name: "E",
  description: "D",
  connection: { wireless: true, type: "B" },
  price: 64.99,
  stock: 17,
  colors: ["black", "white"],
  max_level: [80, 100, 120],
};
const levels = (low: readonly number[], high: readonly number[]) => [
  { ...HEADPHONES, max_level: low },
  { ...HEADPHONES, max_level: high },
];

const bike = (id: number, model: string, price: number, specs: object, colors?: string[]) => ({
  ...{ id: `bike:${id}`, model, price, specs },
  ...(colors ? { colors } : {}),
});
const MOUNTAIN = [
  bike(1, "Phoebe", 1920, { material: "carbon", weight: 13.1 }, ["black", "silver"]),
  bike(2, "Quaoar", 2072, { material: "aluminium", weight: 7.9 }, ["black", "white"]),
  bike(3, "Weywot", 3264, { material: "alloy", weight: 13.8 }),
];
const COMMUTER = [
  bike(4, "Salacia", 1475, { material: "aluminium", weight: 16.6 }, ["black", "silver"]),
  bike(5, "Mimas", 3941, { material: "alloy", weight: 11.6 }),
];
const BIKES = set("bikes", { inventory: { mountain_bikes: MOUNTAIN, commuter_bikes: COMMUTER } });
const MOUNTAIN_MODELS = json(["Phoebe", "Quaoar", "Weywot"]);
const find = (path: string, values: unknown): Step => [["JSON.GET", "bikes", path], json(values)];
const pattern = (at: number): Step => [
  `JSON.SET bikes $.inventory.mountain_bikes[${at}].regex_pat "(?i)al"`,
  "+OK",
];

/**
 * The examples of redis.io/docs/latest/commands/json.* and redis.io/docs/latest/develop/data-types/json: each command with the
 * reply that its page shows. Documents have the pages' shapes and numbers, with texts of our own. The examples of Redis 8.8
 * and later (FPHA, JSONPath operators and functions) are not among them.
 */
export const PAGES: Record<string, readonly Step[]> = {
  "json.arrappend": [
    set("item:1", HEADPHONES),
    ['JSON.ARRAPPEND item:1 $.colors "blue"', numbers(3)],
    ["JSON.GET item:1 $.colors", json([["black", "silver", "blue"]])],
  ],
  "json.arrindex and json.arrinsert": [
    set("item:1", HEADPHONES),
    ['JSON.ARRAPPEND item:1 $.colors "blue"', numbers(3)],
    ["JSON.GET item:1", json({ ...HEADPHONES, colors: ["black", "silver", "blue"] })],
    ["JSON.GET item:1 $.colors[*]", json(["black", "silver", "blue"])],
    ['JSON.ARRINSERT item:1 $.colors 2 "yellow" "gold"', numbers(5)],
    ["JSON.GET item:1 $.colors", json([["black", "silver", "yellow", "gold", "blue"]])],
    ['JSON.ARRINDEX item:1 $..colors "silver"', numbers(1)],
  ],
  "json.arrlen": [
    set("item:2", EARBUDS),
    ["JSON.ARRLEN item:2 $.[*]", numbers(null, null, null, null, null, 2, 3)],
    ["JSON.ARRLEN item:2 $..max_level", numbers(3)],
    ["JSON.GET item:2 $..max_level", json([[80, 100, 120]])],
  ],
  "json.arrpop": [
    set("key", levels([60, 70, 80], [80, 90, 100, 120])),
    ["JSON.GET key $.[1].max_level", json([[80, 90, 100, 120]])],
    ["JSON.ARRPOP key $.[1].max_level 0", ["$80"]],
    ["JSON.GET key $.[1].max_level", json([[90, 100, 120]])],
    ["JSON.ARRINSERT key $.[1].max_level 0 85", numbers(4)],
    ["JSON.GET key $.[1].max_level", json([[85, 90, 100, 120]])],
  ],
  "json.arrtrim": [
    set("key", levels([60, 70, 80], [85, 90, 100, 120])),
    ["JSON.ARRAPPEND key $.[1].max_level 140 160 180 200 220 240 260 280", numbers(12)],
    ["JSON.GET key $.[1].max_level", json([[85, 90, 100, 120, 140, 160, 180, 200, 220, 240, 260, 280]])],
    ["JSON.ARRTRIM key $.[1].max_level 4 8", numbers(5)],
    ["JSON.GET key $.[1].max_level", json([[140, 160, 180, 200, 220]])],
  ],
  "json.clear": [
    set("doc", { obj: { a: 1, b: 2 }, arr: [1, 2, 3], str: "foo", bool: true, int: 42, float: 3.14 }),
    ["JSON.CLEAR doc $.*", ":4"],
    ["JSON.GET doc $", json([{ obj: {}, arr: [], str: "foo", bool: true, int: 0, float: 0 }])],
  ],
  "json.del": [
    set("doc", { a: 1, nested: { a: 2, b: 3 } }),
    ["JSON.DEL doc $..a", ":2"],
    ["JSON.GET doc $", json([{ nested: { b: 3 } }])],
  ],
  "json.get": [
    set("doc", { a: 2, b: 3, nested: { a: 4, b: null } }),
    ["JSON.GET doc $..b", json([3, null])],
    // The page has the paths in another order, which is not defined.
    ["JSON.GET doc ..a $..b", json({ "..a": [2, 4], "$..b": [3, null] })],
  ],
  "json.merge": [
    set("doc", { a: 2 }),
    ["JSON.MERGE doc $.b 8", "+OK"],
    ["JSON.GET doc $", json([{ a: 2, b: 8 }])],
    set("doc", { a: 2 }),
    ["JSON.MERGE doc $.a 3", "+OK"],
    ["JSON.GET doc $", json([{ a: 3 }])],
    set("doc", { a: 2 }),
    ['JSON.MERGE doc $ {"a":null}', "+OK"],
    ["JSON.GET doc $", json([{}])],
    set("doc", { a: [2, 4, 6, 8] }),
    ["JSON.MERGE doc $.a [10,12]", "+OK"],
    ["JSON.GET doc $", json([{ a: [10, 12] }])],
    set("doc", { f1: { a: 1 }, f2: { a: 2 } }),
    ["JSON.GET doc", json({ f1: { a: 1 }, f2: { a: 2 } })],
    ['JSON.MERGE doc $ {"f1":null,"f2":{"a":3,"b":4},"f3":[2,4,6]}', "+OK"],
    ["JSON.GET doc", json({ f2: { a: 3, b: 4 }, f3: [2, 4, 6] })],
  ],
  "json.mget": [
    set("doc1", { a: 1, b: 2, nested: { a: 3 }, c: null }),
    set("doc2", { a: 4, b: 5, nested: { a: 6 }, c: null }),
    ["JSON.MGET doc1 doc2 $..a", [json([1, 3]), json([4, 6])]],
  ],
  "json.mset": [
    ['JSON.MSET doc1 $ {"a":1} doc2 $ {"f":{"a":2}} doc3 $ {"f1":{"a":0},"f2":{"a":0}}', "+OK"],
    ['JSON.MSET doc1 $ {"a":2} doc2 $.f.a 3 doc3 $ {"f1":{"a":1},"f2":{"a":2}}', "+OK"],
    ["JSON.GET doc1 $", json([{ a: 2 }])],
    ["JSON.GET doc2 $", json([{ f: { a: 3 } }])],
    ["JSON.GET doc3", json({ f1: { a: 1 }, f2: { a: 2 } })],
  ],
  "json.numincrby": [
    ['JSON.SET doc . {"a":"b","b":[{"a":2},{"a":5},{"a":"c"}]}', "+OK"],
    ["JSON.NUMINCRBY doc $.a 2", json([null])],
    ["JSON.NUMINCRBY doc $..a 2", json([null, 4, 7, null])],
  ],
  "json.nummultby": [
    ['JSON.SET doc . {"a":"b","b":[{"a":2},{"a":5},{"a":"c"}]}', "+OK"],
    ["JSON.NUMMULTBY doc $.a 2", json([null])],
    ["JSON.NUMMULTBY doc $..a 2", json([null, 4, 10, null])],
  ],
  "json.objkeys, its example and its list of replies": [
    set("doc", { a: [3], nested: { a: { b: 2, c: 1 } } }),
    ["JSON.OBJKEYS doc $..a", [NULL, ["$b", "$c"]]],
    ["JSON.OBJKEYS none $", "-ERR could not perform this operation on a key that doesn't exist"],
    ["JSON.OBJKEYS doc $.none", []],
    ["JSON.OBJKEYS none", NULL],
    ["JSON.OBJKEYS doc .none", NULL],
    ["JSON.OBJKEYS doc .a", "-WRONGTYPE wrong type of path value - expected object but found array"],
    ["JSON.OBJKEYS doc .nested.a", ["$b", "$c"]],
  ],
  "json.objlen": [
    set("doc", { a: [3], nested: { a: { b: 2, c: 1 } } }),
    ["JSON.OBJLEN doc $..a", numbers(null, 2)],
  ],
  "json.resp": [
    set("item:2", EARBUDS),
    [
      "JSON.RESP item:2",
      [
        ...["+{", "$name", "$E", "$description", "$D"],
        ...["$connection", ["+{", "$wireless", "+true", "$type", "$B"]],
        // The page has the 17 digits of Redis before 7.2.
        ...["$price", "$64.99", "$stock", ":17"],
        ...["$colors", ["+[", "$black", "$white"], "$max_level", ["+[", ":80", ":100", ":120"]],
      ],
    ],
  ],
  "json.set": [
    set("doc", { a: 2 }),
    ["JSON.SET doc $.a 3", "+OK"],
    ["JSON.GET doc $", json([{ a: 3 }])],
    set("doc", { a: 2 }),
    ["JSON.SET doc $.b 8", "+OK"],
    ["JSON.GET doc $", json([{ a: 2, b: 8 }])],
    set("doc", { f1: { a: 1 }, f2: { a: 2 } }),
    ["JSON.SET doc $..a 3", "+OK"],
    ["JSON.GET doc", json({ f1: { a: 3 }, f2: { a: 3 } })],
    ["JSON.SET doc $ 1", "+OK"],
    ["JSON.SET doc $.x.y 2", NULL],
    ["JSON.SET nonexistentkey $ 5 XX", NULL],
    ["JSON.GET nonexistentkey", NULL],
    ["JSON.SET nonexistentkey $.x 5", "-ERR new objects must be created at the root"],
  ],
  "json.strappend": [
    set("doc", { a: "foo", nested: { a: "hello" }, nested2: { a: 31 } }),
    ['JSON.STRAPPEND doc $..a "baz"', numbers(6, 8, null)],
    ["JSON.GET doc $", json([{ a: "foobaz", nested: { a: "hellobaz" }, nested2: { a: 31 } }])],
  ],
  "json.strlen": [
    set("doc", { a: "foo", nested: { a: "hello" }, nested2: { a: 31 } }),
    ["JSON.STRLEN doc $..a", numbers(3, 5, null)],
  ],
  "json.toggle": [
    set("doc", { bool: true }),
    ["JSON.TOGGLE doc $.bool", numbers(0)],
    ["JSON.GET doc $", json([{ bool: false }])],
    ["JSON.TOGGLE doc $.bool", numbers(1)],
    ["JSON.GET doc $", json([{ bool: true }])],
  ],
  "json.type": [
    set("doc", { a: 2, nested: { a: true }, foo: "bar" }),
    ["JSON.TYPE doc $..foo", ["$string"]],
    ["JSON.TYPE doc $..a", ["$integer", "$boolean"]],
    ["JSON.TYPE doc $..dummy", []],
  ],
  "the introduction": [
    set("bike", "Hyperion"),
    ["JSON.GET bike $", json(["Hyperion"])],
    ["JSON.TYPE bike $", ["$string"]],
    ["JSON.STRLEN bike $", numbers(8)],
    [["JSON.STRAPPEND", "bike", "$", '" (Enduro bikes)"'], numbers(23)],
    ["JSON.GET bike $", json(["Hyperion (Enduro bikes)"])],
    ["JSON.SET crashes $ 0", "+OK"],
    ["JSON.NUMINCRBY crashes $ 1", json([1])],
    ["JSON.NUMINCRBY crashes $ 1.5", json([2.5])],
    ["JSON.NUMINCRBY crashes $ -0.75", json([1.75])],
    ["JSON.NUMMULTBY crashes $ 24", json([42])],
    set("newbike", ["Deimos", { crashes: 0 }, null]),
    ["JSON.GET newbike $", json([["Deimos", { crashes: 0 }, null]])],
    ["JSON.GET newbike $[1].crashes", json([0])],
    ["JSON.DEL newbike $[-1]", ":1"],
    ["JSON.GET newbike $", json([["Deimos", { crashes: 0 }]])],
    ["JSON.SET riders $ []", "+OK"],
    ['JSON.ARRAPPEND riders $ "Norem"', numbers(1)],
    ["JSON.GET riders $", json([["Norem"]])],
    ['JSON.ARRINSERT riders $ 1 "Prickett" "Royce" "Castilla"', numbers(4)],
    ["JSON.GET riders $", json([["Norem", "Prickett", "Royce", "Castilla"]])],
    ["JSON.ARRTRIM riders $ 1 1", numbers(1)],
    ["JSON.GET riders $", json([["Prickett"]])],
    ["JSON.ARRPOP riders $", [json("Prickett")]],
    ["JSON.ARRPOP riders $", [NULL]],
    set("bike:1", { model: "Deimos", brand: "Ergonom", price: 4972 }),
    ["JSON.OBJLEN bike:1 $", numbers(3)],
    ["JSON.OBJKEYS bike:1 $", [["$model", "$brand", "$price"]]],
    set("obj", { name: "N", lastSeen: 1478476800, loggedOut: true }),
    [
      ["JSON.GET", "obj", "INDENT", "\t", "NEWLINE", "\n", "SPACE", " ", "$"],
      `$${JSON.stringify([{ name: "N", lastSeen: 1478476800, loggedOut: true }], null, "\t")}`,
    ],
  ],
  "paths that select": [
    BIKES,
    find("$.inventory.*", [MOUNTAIN, COMMUTER]),
    ["JSON.GET bikes $.inventory.mountain_bikes[*].model", MOUNTAIN_MODELS],
    ['JSON.GET bikes $.inventory["mountain_bikes"][*].model', MOUNTAIN_MODELS],
    ["JSON.GET bikes $..mountain_bikes[*].model", MOUNTAIN_MODELS],
    find("$..model", ["Phoebe", "Quaoar", "Weywot", "Salacia", "Mimas"]),
    find("$..mountain_bikes[0:2].model", ["Phoebe", "Quaoar"]),
    ["JSON.GET bikes .inventory.commuter_bikes[0].model", json("Salacia")],
    ['JSON.GET bikes inventory["commuter_bikes"][0].model', json("Salacia")],
    [`JSON.GET bikes ['inventory']["commuter_bikes"][0].model`, json("Salacia")],
  ],
  "paths that filter": [
    BIKES,
    find("$..mountain_bikes[?(@.price < 3000 && @.specs.weight < 10)]", [MOUNTAIN[1]]),
    find('$..[?(@.specs.material == "alloy")].model', ["Weywot", "Mimas"]),
    find('$..[?(@.specs.material =~ "(?i)al")].model', ["Quaoar", "Weywot", "Salacia", "Mimas"]),
    find('$..[?(@.specs.material=~"^al" && @.price < 3000 )].model', ["Quaoar", "Salacia"]),
    find('$..[?(@.model =~ "=~")].model', []),
    find('$..[?("a =~ b" == "a =~ b" && @.price =~ "1")].model', []),
    find('$..[?(@.model =~ "(")].model', []),
    ...[0, 1, 2].map(pattern),
    find("$.inventory.mountain_bikes[?(@.specs.material =~ @.regex_pat)].model", ["Quaoar", "Weywot"]),
  ],
  "paths that update": [
    BIKES,
    find("$..price", [1920, 2072, 3264, 1475, 3941]),
    ["JSON.NUMINCRBY bikes $..price -100", json([1820, 1972, 3164, 1375, 3841])],
    ["JSON.NUMINCRBY bikes $..price 100", json([1920, 2072, 3264, 1475, 3941])],
    ["JSON.SET bikes $.inventory.*[?(@.price<2000)].price 1500", "+OK"],
    find("$..price", [1500, 2072, 3264, 1500, 3941]),
    ['JSON.ARRAPPEND bikes $.inventory.*[?(@.price<2000)].colors "pink"', numbers(3, 3)],
    find("$..[*].colors", [
      ["black", "silver", "pink"],
      ["black", "white"],
      ["black", "silver", "pink"],
    ]),
  ],
};

/** The arguments of a step's command. */
export const argsOf = ([command]: Step): readonly string[] =>
  typeof command === "string" ? command.split(" ") : command;
