import { join } from "node:path";
import ts from "typescript";

/** The facts about a method on the page that are in its declaration. */
export interface Signature {
  /** Each form of the method: its parameters and result, as types. */
  readonly forms: readonly string[];
  /** The first paragraph of its comment. */
  readonly description: string;
  /** Its examples, as lines of TypeScript. */
  readonly examples: readonly string[];
}

const folder = join(import.meta.dirname, "../../src/commands");

/** Interfaces of methods, with the prefix of the methods' names on the page. */
const INTERFACES: Readonly<Record<string, string>> = {
  JsonCommands: "json.",
  FunctionCommands: "functions.",
  BloomCommands: "bf(redis).",
  CuckooCommands: "cf(redis).",
  CountMinCommands: "cms(redis).",
  TopKCommands: "topk(redis).",
  TDigestCommands: "tdigest(redis).",
  TimeSeriesCommands: "ts(redis).",
  SearchCommands: "ft(redis).",
};

/** Helper types of declarations, with the types that the page shows instead. */
const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/\bStored<K, ([^<>]+)>/g, "T"],
  [/\bStored<K>/g, "T"],
  [/\bStoredList<K[^<>]*>/g, "T"],
  [/\bStorable(?:Value|Field)<K, T, Tag>/g, "T"],
  [/\bOneOrMoreKeys<Given>( \| \[keys: Key\[\]\])?/g, "Key[]"],
  [/\bNoInfer<keyof T & string>\[\]/g, "(keyof T)[]"],
  [/\bMembersAfter<First, ((?:Score|Geo)Member)<T>>/g, "$1<T>[]"],
  [/\bRangeBound<O>/g, "number | LexBound | ScoreBound"],
  [/\bSetResult<T, O>/g, '"OK" | T | null'],
  [/\b(?:RangeResult<T, O>|MaybeScoredMembers<(T|T\[\]), WithScores>|CheckedValue<S, T>)/g, "T"],
  [/\bSeveralValues<T>/g, "T[]"],
  [/\bScoredMembers<T>/g, "(T | number)[]"],
  [/\bLcsResult<Len, Idx>/g, "string | number | LcsMatches"],
  [/\bStreamIds<Keys>/g, "string | string[]"],
  [/ & Partial<SchemaOption<S>>/g, ""],
  [/<(?:Len, Idx|WithType|WithScores|NoMkStream|JustId)>/g, ""],
  [/\bNoMkStream extends true \? string \| null : string/g, "string | null"],
  [
    /\bWithType extends true \? ScanResultWithType : ScanResultStandard/g,
    "ScanResultStandard | ScanResultWithType",
  ],
  [/\[Store\] extends \[never\] \? \(T \| null\)\[\] : number/g, "(T | null)[] | number"],
  [/ & SortStoreOption<Store>/g, " & { store?: Key }"],
  [/\bReply<K, ([^<>]+)>/g, "$1"],
  [/(?<=\b(?:GeoMatch|ArGrepResult|VSimResult)<T), O(?=>)|(?<=\bXGroupReturnType)<O>/g, ""],
  [/\bClaimedEntries<T, JustId>/g, "StreamEntry<T>[] | string[]"],
];

/** Returns the signatures of all methods, by their names on the page. */
export function signatures(): Map<string, Signature> {
  const found = new Map<string, Signature>();
  for (const file of ts.sys.readDirectory(folder, [".ts"])) {
    const source = ts.createSourceFile(file, ts.sys.readFile(file)!, ts.ScriptTarget.Latest, true);
    for (const statement of source.statements) {
      if (!ts.isInterfaceDeclaration(statement) || !/Commands$|^Builders$/.test(statement.name.text))
        continue;
      const prefix = INTERFACES[statement.name.text] ?? "";
      for (const member of statement.members) {
        if (!ts.isMethodSignature(member)) continue;
        const name = prefix + member.name.getText();
        const [first, ...overloads] = [found.get(name), readSignature(name, member)].filter(
          (each) => each !== undefined,
        );
        found.set(name, {
          ...first!,
          forms: [...first!.forms, ...overloads.flatMap(({ forms }) => forms)],
          examples: [...first!.examples, ...overloads.flatMap(({ examples }) => examples)],
        });
      }
    }
  }
  return found;
}

function readSignature(name: string, member: ts.MethodSignature): Signature {
  const [comment] = ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc);
  const tags = (name: string) =>
    (comment?.tags ?? []).filter(({ tagName }) => tagName.text === name).map((tag) => tag.getText());
  const { parameters } = member;
  // Left out: forms with a schema, which docs/schemas.md describes, and forms for calls that name a type, which only help the
  // compiler.
  const isLeftOut = parameters.some(({ type }) =>
    /(?<!Partial<)SchemaOption<S>|IfNamed</.test(type?.getText() ?? ""),
  );
  return {
    forms: isLeftOut ? [] : [formatForm(name, member)],
    description: oneLine(ts.getTextOfJSDocComment(comment?.comment) ?? ""),
    examples: tags("example").flatMap((tag) =>
      [...tag.matchAll(/^\s*\* (.+)$/gm)].map(([, line]) => line!).filter((line) => !line.startsWith("```")),
    ),
  };
}

function formatForm(name: string, { parameters, type, typeParameters }: ts.MethodSignature): string {
  const constraints = new Map(
    typeParameters?.map(({ name: parameter, constraint }) => [parameter.text, constraint?.getText() ?? ""]),
  );
  const shown = parameters.map((parameter) => {
    const dots = parameter.dotDotDotToken ? "..." : "";
    const type = oneLine(parameter.type!.getText())
      .replace(/ \| IfNone<O, \w+>/, "")
      .replace("StorableMember<K, First, Tag>", "First");
    const optional = parameter.questionToken || /\bO \| undefined/.test(type) ? "?" : "";
    return `${dots}${parameter.name.getText()}${optional}: ${plain(type, constraints)}`;
  });
  const result = /^Reply<K, ([\s\S]+)>$/.exec(oneLine(type!.getText()).replace(/,? ?>$/, ">"));
  return `${name}(${shown.join(", ")}): ${replaceAll(result?.[1]?.trim() ?? type!.getText())}`;
}

/** Returns the text of a parameter's type. A type parameter for options is replaced by its constraint. */
function plain(text: string, constraints: ReadonlyMap<string, string>): string {
  const [, parameter = text] = /^(\w+) \| undefined$/.exec(text) ?? [];
  if (parameter === "First") {
    return replaceAll(oneLine(constraints.get("First")!)).replace(
      /^MemberOr<First, (.+), (\w+)>$/,
      "$1 | $2",
    );
  }
  if (/^(O|Keys)$/.test(parameter))
    return oneLine(constraints.get(parameter)!).replace(/ & OnlyKnown<.*>$/, "");
  return replaceAll(text);
}

const replaceAll = (text: string) =>
  PLAIN.reduce((changed, [pattern, by]) => changed.replace(pattern, by), oneLine(text));

const oneLine = (text: string) =>
  text
    .replace(/\s+/g, " ")
    .replace(/([([]) /g, "$1")
    .replace(/,? ([)\]])/g, "$1")
    .trim();
