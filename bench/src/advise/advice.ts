import { ms, withInterval } from "../results/format.js";
import { costOfGateway } from "../results/prices.js";
import type { Question } from "../runner/question.js";
import { type Estimate, MIN_REPETITIONS } from "../statistics/estimate.js";
import type { FunctionEstimate } from "./function-estimate.js";
import { constant, minus, plus, times } from "./intervals.js";

/** One recommendation, with the numbers that decide it. */
export interface Advice {
  readonly question: string;
  readonly answer: string;
  readonly reason: string;
}

/** A gain below this share of an invocation's Redis time does not count. */
const WORTH_IT = 0.1;

/** The order in which numbers decide, as the output states it. */
export const RULE =
  `Time decides if the whole interval of what an option saves is above ${WORTH_IT * 100}% of the time without it. ` +
  "Else the calls lost after a freeze decide, else the dollars, if the whole interval of their difference is on one side of zero. " +
  "Else the safer option is named.";
/** Instances that are frozen after a burst keep their connections: about as many again as there were at the peak. */
const FROZEN_SHARE = 2;

/**
 * Recommends connection, protocol, batching and gateway for one function.
 * @param http the estimate of the HTTP client
 * @param tcp the estimate of the TCP client, if one was measured
 */
export function advise(
  question: Question,
  http: FunctionEstimate,
  tcp: FunctionEstimate | undefined,
): Advice[] {
  const protocol = protocolOf(question, http, tcp);
  const own = protocol.http ? http : tcp!;
  return [connection(own), protocol, batching(question, own), gateway(question, protocol.http)];
}

const time = (estimate: Estimate) => withInterval(estimate, ms);
/** Cents are enough, unless there are few of them. */
const dollars = (value: number) => {
  const amount = Math.abs(value);
  return `${value < 0 ? "-" : ""}$${amount.toFixed(amount > 0 && amount < 0.1 ? 4 : 2)}`;
};
const price = (estimate: Estimate) => withInterval(estimate, dollars);

/** Whether the whole interval of a gain is worth it, of what is compared with. Too few repetitions decide nothing. */
const pays = (gain: Estimate, whole: Estimate) =>
  gain.n >= MIN_REPETITIONS && gain.low > WORTH_IT * whole.value;
/** Whether the whole interval of a saving is above zero: enough for dollars, which nothing is weighed against. */
const isCheaper = ({ low, n }: Estimate) => n >= MIN_REPETITIONS && low > 0;
/** Whether the interval has both worthwhile and small gains. */
const undecided = (gain: Estimate, whole: Estimate) =>
  !pays(gain, whole) && gain.high > WORTH_IT * whole.value;

function connection(own: FunctionEstimate): Advice {
  const saved = minus(own.ephemeral, own.reused);
  return {
    question: "Reuse the connection, or open one per invocation?",
    answer: pays(saved, own.reused)
      ? "Reuse: create the client outside the handler."
      : isCheaper(own.reuseSaves)
        ? "Reuse: it saves little time, but costs less."
        : undecided(saved, own.reused)
          ? "Reuse, to be safe: the measurements leave open how much it saves."
          : "Either: connecting takes little time here.",
    reason: `an invocation's commands take ${time(own.reused)} over a kept connection and ${time(own.ephemeral)} over a new one (${own.label}; connecting takes ${time(own.connect)}, and ${price(own.reuseSaves)} per million invocations)`,
  };
}

/** Returns the sentence about a client's invocation, which the choice of a protocol is decided by. */
export function invocationOf(own: FunctionEstimate): string {
  const { afterFreeze, lostAfterFreeze } = own;
  const parts = [
    `commands ${time(own.reused)}`,
    `a start ${time(own.start)}`,
    ...(afterFreeze ? [`the first write after a freeze ${time(afterFreeze)} more`] : []),
    ...(lostAfterFreeze
      ? [`${lostAfterFreeze.lost} of ${lostAfterFreeze.calls} calls after a freeze lost`]
      : []),
  ];
  const { lambda, redis, egress, total } = own.dollars;
  const shares = Object.entries({ "AWS Lambda": lambda, Upstash: redis, egress })
    .filter(([, { value }]) => value > 0)
    .map(([name, { value }]) => `${name} ${dollars(value)}`);
  return `${own.label}: ${parts.join(", ")}; in all ${time(own.perInvocation)} and ${price(total)} per million invocations (${shares.join(", ")})`;
}

/** Returns the dollars that the gateway adds to a million invocations; undefined if none is needed, or without their number. */
function gatewayPrice({ upstash, perMonth }: Question): number | undefined {
  return upstash || perMonth === undefined ? undefined : (costOfGateway() * 1e6) / perMonth;
}

function protocolOf(
  asked: Question,
  http: FunctionEstimate,
  tcp: FunctionEstimate | undefined,
): Advice & { readonly http: boolean } {
  const { concurrency, maxConnections } = asked;
  const question = "TCP or HTTP?";
  const held = concurrency * FROZEN_SHARE;
  if (!tcp) {
    const reason = `no TCP client was measured (needs redis-server); ${invocationOf(http)}`;
    return { question, http: true, answer: "HTTP.", reason };
  }
  const perGateway = gatewayPrice(asked);
  const numbers = `${invocationOf(tcp)}. ${invocationOf(http)}${perGateway === undefined ? "" : `, and the gateway ${dollars(perGateway)}`}`;
  const overHttp = (why: string, answer = "HTTP.") => ({
    ...{ question, http: true, answer, reason: `${why}. ${numbers}` },
  });
  if (held > maxConnections) {
    return overHttp(
      `up to ${held} connections (${concurrency} concurrent instances, and about as many frozen) exceed --max-connections ${maxConnections}`,
      "HTTP, through a gateway that shares its connections.",
    );
  }
  const lost = { http: http.lostAfterFreeze?.lost ?? 0, tcp: tcp.lostAfterFreeze?.lost ?? 0 };
  const overTcp = (why: string) => ({
    question,
    http: false,
    answer:
      lost.tcp > lost.http
        ? "TCP, if Redis and every device on the way keep idle connections longer than an instance lives; else HTTP, since calls are lost."
        : "TCP, if the function can reach Redis.",
    reason: `${why}, and up to ${held} connections fit into ${maxConnections}. ${numbers}`,
  });
  const saved = minus(http.perInvocation, tcp.perInvocation);
  if (pays(saved, http.perInvocation)) return overTcp(`TCP takes ${time(saved)} less per invocation`);
  const savedByHttp = times(saved, -1);
  if (pays(savedByHttp, tcp.perInvocation))
    return overHttp(`HTTP takes ${time(savedByHttp)} less per invocation`);
  const isOpen = undecided(saved, http.perInvocation) || undecided(savedByHttp, tcp.perInvocation);
  const why = isOpen ? "the measurements leave open which is faster" : "neither is much faster";
  if (saved.n >= MIN_REPETITIONS && lost.tcp !== lost.http) {
    return lost.tcp > lost.http
      ? overHttp(`${why}, and over TCP more calls are lost after a freeze`)
      : overTcp(`${why}, and over HTTP more calls are lost after a freeze`);
  }
  const cheaper = minus(plus(http.dollars.total, constant(perGateway ?? 0)), tcp.dollars.total);
  if (isCheaper(cheaper)) return overTcp(`${why}, and TCP costs ${price(cheaper)} less`);
  const cheaperHttp = times(cheaper, -1);
  // Without the gateway's price HTTP is not known to be cheaper.
  const isPriced = asked.upstash || perGateway !== undefined;
  if (isPriced && isCheaper(cheaperHttp))
    return overHttp(`${why}, and HTTP costs ${price(cheaperHttp)} less`);
  return overHttp(`${why}, and which costs less is open; HTTP holds fewer connections at Redis`);
}

function batching({ ops }: Question, own: FunctionEstimate): Advice {
  const question = "Pipeline?";
  if (ops === 1) {
    return { question, answer: "No: there is only one command.", reason: `it takes ${time(own.reused)}` };
  }
  const saved = minus(own.reused, own.pipelined);
  return {
    question,
    answer: pays(saved, own.reused)
      ? "Yes: run independent commands with Promise.all, or as one pipeline."
      : isCheaper(own.pipelineSaves)
        ? "Yes: a pipeline saves little time, but costs less."
        : undecided(saved, own.reused)
          ? "Yes, to be safe: the measurements leave open how much it saves."
          : "Either: a pipeline saves little time here.",
    reason: `${ops} commands take ${time(own.reused)} one after another and ${time(own.pipelined)} as one pipeline, which saves ${price(own.pipelineSaves)} per million invocations (${own.label})`,
  };
}

function gateway(asked: Question, http: boolean): Advice {
  const question = "A gateway?";
  const { concurrency, upstash } = asked;
  if (!http) return { question, answer: "No.", reason: "functions that use TCP connect to Redis directly" };
  if (upstash) return { question, answer: "No.", reason: "Upstash has an HTTP endpoint" };
  const perGateway = gatewayPrice(asked);
  const spread =
    perGateway === undefined
      ? "--per-month N spreads that over your invocations"
      : `${dollars(perGateway)} per million invocations`;
  return {
    question,
    answer: "Yes, unless your Redis has an HTTP endpoint.",
    reason: `Redis then has a few connections of the gateway instead of up to ${concurrency * FROZEN_SHARE}; that of gateway/deploy/ecs.yaml costs ${dollars(costOfGateway())} a month (${spread})`,
  };
}
