import { factor, listed, ms } from "../format.js";
import type { CommandsEvent } from "../handlers/commands.js";
import { barChart, curveChart, tableOf } from "../present.js";
import type { Check, Outcome } from "../result.js";
import type { CaseLatencies } from "../series.js";

export interface Way {
  readonly name: "one" | "ten" | "together" | "pipeline";
  readonly commands: number;
  readonly keepAlive: boolean;
  readonly how: NonNullable<CommandsEvent["how"]>;
}

export type Case = Way & { readonly client: string; readonly label: string; readonly batches: boolean };
export type Measurement = Case & CaseLatencies;

const NAMES = {
  one: "one command",
  ten: "ten, one after another",
  together: "ten, concurrent",
  pipeline: "ten, as one pipeline",
};

export const nameOf = ({ name, keepAlive }: Way): string =>
  `${NAMES[name]}${keepAlive ? "" : ", keep-alive off"}`;

/** Builds the report of the measurements. */
export function buildReport(
  rows: readonly Measurement[],
): Pick<Outcome, "summary" | "headlines" | "checks" | "table" | "charts"> {
  const clients = [...new Set(rows.map(({ client }) => client))];
  const pick = (client: string, name: Way["name"], keepAlive = true) =>
    rows.find((row) => row.client === client && row.name === name && row.keepAlive === keepAlive)!;
  const saved = (client: string, name: "one" | "ten") =>
    pick(client, name, false).all.p50 - pick(client, name).all.p50;
  const label = (client: string) => pick(client, "one").label;
  const checks: Check[] = clients.flatMap((client) => [
    {
      expectation: `${label(client)}: keep-alive saves more on ten commands than on one`,
      passed: saved(client, "ten") > saved(client, "one"),
      actual: `${ms(saved(client, "ten"))} against ${ms(saved(client, "one"))}`,
    },
    {
      expectation: `${label(client)}: a pipeline of ten is faster than ten one after another`,
      passed: pick(client, "pipeline").all.p50 < pick(client, "ten").all.p50,
      actual: `${ms(pick(client, "pipeline").all.p50)} against ${ms(pick(client, "ten").all.p50)}`,
    },
  ]);
  const lead = clients[0]!;
  const [ten, off] = [pick(lead, "ten").all.p50, pick(lead, "ten", false).all.p50];
  const allPassed = checks.every((check) => check.passed);
  return {
    summary:
      `Keeping the connection saves ${listed(clients.map((client) => `${ms(saved(client, "one"))} on one command and ${ms(saved(client, "ten"))} on ten with ${label(client)}`))}. ` +
      `With ${label(lead)} ten commands take ${ms(off)} without keep-alive and ${ms(ten)} with it (the article: 180 and 60 ms), ` +
      `concurrently ${ms(pick(lead, "together").all.p50)}, as one pipeline ${ms(pick(lead, "pipeline").all.p50)}: ` +
      `keep-alive makes them ${factor(off / ten)} faster, and the pipeline another ${factor(ten / pick(lead, "pipeline").all.p50)}. ` +
      (allPassed
        ? "Reproduced for every client: the time that keep-alive saves grows with the number of commands."
        : `Not reproduced: ${listed(checks.filter((check) => !check.passed).map(({ expectation, actual }) => `${expectation} (${actual})`))}.`),
    headlines: [
      { value: factor(off / ten), label: `faster with keep-alive: ten commands, ${label(lead)}` },
      {
        value: factor(ten / pick(lead, "pipeline").all.p50),
        label: "faster again as one pipeline",
      },
      { value: ms(saved(lead, "one")), label: "saved on one command" },
      { value: ms(saved(lead, "ten")), label: "saved on ten" },
    ],
    checks,
    table: tableOf(rows, ({ client }) => client, [
      ["client", (row) => row.label],
      ["commands", nameOf],
      ["p50 ms", ({ all }) => all.p50.toFixed(2), "number"],
      ["p90 ms", ({ all }) => all.p90.toFixed(2), "number"],
      ["p99 ms", ({ all }) => all.p99.toFixed(2), "number"],
      ["x one", (row) => (row.all.p50 / pick(row.client, "one").all.p50).toFixed(2), "number"],
    ]),
    charts: [
      barChart(rows, {
        title: "An invocation's median time",
        unit: "ms",
        groupOf: (row) => row.label,
        styleOf,
        valueOf: ({ all }) => all.p50,
        spread: {
          label: "the range from the median to the 90th percentile",
          of: ({ all }) => ({ low: all.p50, high: all.p90 }),
        },
      }),
      curveChart(rows, {
        title: "An invocation's time by percentile",
        groupOf: (row) => row.label,
        styleOf,
        curveOf: ({ all }) => all.curve,
      }),
    ],
  };
}

const HUES = { one: 3, ten: 0, together: 2, pipeline: 4 };
const styleOf = (row: Measurement) => ({ label: nameOf(row), hue: HUES[row.name], dashed: !row.keepAlive });
