import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { resolve } from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { startFakeRedis } from "warmline-testbed";
import { parse } from "yaml";
import { createGateway } from "../../../gateway/src/index.js";
import { flags } from "../../../gateway/src/settings/flags.js";
import { sharedByTests } from "../../support/lifetime.js";
import { call, run } from "./http.js";

const deploy = resolve(import.meta.dirname, "../../../gateway/deploy");
const dashboard = JSON.parse(readFileSync(resolve(deploy, "grafana-dashboard.json"), "utf8"));
const rules = parse(readFileSync(resolve(deploy, "alerts.yaml"), "utf8"));

/** Labels that Prometheus itself adds to what it scrapes. */
const SCRAPED = ["job", "instance"];

type Labels = Readonly<Record<string, string>>;
/** The samples of a live `/metrics`: the labels of each, by name. */
const live = new Map<string, Labels[]>();

const redis = sharedByTests(() => startFakeRedis());
const gateway = sharedByTests(() =>
  createGateway({ redis: redis.url, port: 0, token: "t", commandTimeout: 2_000 }),
);
beforeAll(async () => {
  expect(await run(gateway, "SET", "k", "v")).toBe("OK");
  await call(gateway, "/pipeline", { body: [["GET", "k"]] });
  await call(gateway, "/multi-exec", { body: [["GET", "k"]] });
  await call(gateway, "/get/k", { token: null });
  await sendMalformed();
  await redis.close();
  await vi.waitFor(async () => expect((await call(gateway, "/get/k")).status).toBe(503), 10_000);
  // One sample per second.
  await new Promise((done) => setTimeout(done, 1_200));
  const { text } = await call(gateway, "/metrics");
  for (const line of text.split("\n")) {
    const [, name, labels] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const pairs = [...(labels ?? "").matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => [label, value]);
    live.set(name, [...(live.get(name) ?? []), Object.fromEntries(pairs)]);
  }
});

/** Sends a request that is not valid HTTP. */
async function sendMalformed(): Promise<void> {
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  socket.resume().end("no request\r\n\r\n");
  await once(socket, "close");
}

interface Panel {
  readonly title: string;
  readonly targets?: { readonly expr: string; readonly legendFormat: string }[];
}

const panels: Panel[] = dashboard.panels.filter(({ type }: { type: string }) => type !== "row");
const alerts: { alert: string; expr: string; for?: string; annotations: Labels }[] = rules.groups.flatMap(
  (group: { rules: unknown[] }) => group.rules,
);
const expressions = [
  ...panels.flatMap(({ title, targets }) =>
    targets!.map(({ expr, legendFormat }) => ({ where: `panel ${title}`, expr, shown: legendFormat })),
  ),
  ...alerts.map(({ alert, expr, annotations }) => ({
    where: `alert ${alert}`,
    expr,
    shown: Object.values(annotations).join(" "),
  })),
];

/** Returns the problems of a PromQL expression, such as metrics that a live scrape does not have. */
function problemsOf(expr: string): string[] {
  const text = expr.replaceAll("$__rate_interval", "5m");
  const problems: string[] = [];
  const selectors: { from: number; to: number; samples: readonly Labels[] }[] = [];
  const groupings: { from: number; to: number; labels: string[] }[] = [];
  const tree = parser.parse(text);
  tree.iterate({
    enter({ name, from, to, node }) {
      const inner = (type: string) => node.getChildren(type).map((child) => text.slice(child.from, child.to));
      if (name === "⚠") problems.push(`is not PromQL at ${from}: ${text.slice(from, to + 10)}`);
      else if (name === "VectorSelector") {
        const [metric = ""] = inner("Identifier");
        let samples = live.get(metric) ?? [];
        if (samples.length === 0) problems.push(`${metric} is not there`);
        for (const matcher of node.getChild("LabelMatchers")?.getChildren("UnquotedLabelMatcher") ?? []) {
          const [, label, operator, value] = /^(\w+)\s*(=~?)\s*"(.*)"$/.exec(
            text.slice(matcher.from, matcher.to),
          )!;
          if (SCRAPED.includes(label!)) continue;
          const wanted = operator === "=" ? (each: string) => each === value : matchesWhole(value!);
          samples = samples.filter((labels) => wanted(labels[label!] ?? ""));
          if (samples.length === 0) problems.push(`${metric} has no ${label} like ${value}`);
        }
        selectors.push({ from, to, samples });
      } else if (name === "AggregateExpr") {
        const labels = node
          .getChild("AggregateModifier")
          ?.getChild("GroupingLabels")
          ?.getChildren("LabelName");
        groupings.push({ from, to, labels: (labels ?? []).map((each) => text.slice(each.from, each.to)) });
      }
    },
  });
  for (const { from, to, labels } of groupings) {
    for (const selector of selectors.filter((each) => each.from >= from && each.to <= to)) {
      for (const label of labels) {
        if (SCRAPED.includes(label)) continue;
        if (selector.samples.some((sample) => sample[label] === undefined))
          problems.push(`${text.slice(selector.from, selector.to)} has no label ${label}`);
      }
    }
  }
  if (selectors.length === 0) problems.push("uses no metric");
  return problems;
}

function matchesWhole(pattern: string): (text: string) => boolean {
  const expression = new RegExp(`^(?:${pattern})$`);
  return (text) => expression.test(text);
}

describe("the Grafana dashboard and the alert rules", () => {
  test.each(["malformed_requests_total", "event_loop_delay_max_seconds"])("a panel shows %s", (name) => {
    expect(
      panels.flatMap(({ targets }) => targets!).some(({ expr }) => expr.includes(`gateway_${name}`)),
    ).toBe(true);
  });

  test.each(expressions)("$where uses what a live scrape has: $expr", ({ expr, shown }) => {
    expect(problemsOf(expr)).toEqual([]);
    // Labels in a legend or a text have to remain after aggregation.
    for (const [, label] of shown.matchAll(/\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/g)) {
      const [, labels = ""] = /by \(([^)]*)\)/.exec(expr) ?? [];
      expect(labels.split(", ")).toContain(label);
    }
  });

  test("the alert of a stall fires at the first scrape after it", async () => {
    const { expr, for: pending } = alerts.find(({ alert }) => alert === "WarmlineEventLoopStalled")!;
    const [, metric, threshold] = /^max by \(job, instance\) \((\w+)\) > ([\d.]+)$/.exec(expr)!;
    expect(pending).toBeUndefined();
    // This process, and with it the gateway, stands still.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000 * Number(threshold) + 100);
    const { text } = await call(gateway, "/metrics");
    const [, value] = new RegExp(`^${metric} (\\S+)$`, "m").exec(text)!;
    expect(Number(value)).toBeGreaterThan(Number(threshold));
  });

  test("dashboard and alert rules name flags that exist", () => {
    const texts = alerts.flatMap(({ annotations }) => Object.values(annotations)).join(" ");
    const named = [...texts.matchAll(/--([a-z][a-z-]*[a-z])/g)].map(([, flag]) => flag);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((flag) => !flags.some(({ name }) => name === flag))).toEqual([]);
  });

  test("dashboard variables are filled by a live scrape", () => {
    for (const { type, query } of dashboard.templating.list) {
      if (type !== "query") continue;
      const [, metric] = /^label_values\((\w+)(?:\{.*\})?, \w+\)$/.exec(query.query)!;
      expect([...live.keys()]).toContain(metric);
    }
  });
});
