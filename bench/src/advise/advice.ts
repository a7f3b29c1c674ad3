import { type Estimate, MIN_REPETITIONS } from "../estimate.js";
import { ms, withInterval } from "../format.js";
import type { FunctionEstimate } from "./function-estimate.js";
import { minus } from "./intervals.js";
import type { Question } from "./question.js";

/** One recommendation, with the numbers that decide it. */
export interface Advice {
  readonly question: string;
  readonly answer: string;
  readonly reason: string;
}

/** A gain below this share of an invocation's Redis time does not count. */
const WORTH_IT = 0.1;
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

/** Whether the whole interval of a gain is worth it, of what is compared with. Too few repetitions decide nothing. */
const pays = (gain: Estimate, whole: Estimate) =>
  gain.n >= MIN_REPETITIONS && gain.low > WORTH_IT * whole.value;
/** Whether the interval has both worthwhile and small gains. */
const undecided = (gain: Estimate, whole: Estimate) =>
  !pays(gain, whole) && gain.high > WORTH_IT * whole.value;

function connection(own: FunctionEstimate): Advice {
  const saved = minus(own.ephemeral, own.reused);
  return {
    question: "Reuse the connection, or open one per invocation?",
    answer: pays(saved, own.reused)
      ? "Reuse: create the client outside the handler."
      : undecided(saved, own.reused)
        ? "Reuse, to be safe: the measurements leave open how much it saves."
        : "Either: connecting takes little time here.",
    reason: `an invocation's commands take ${time(own.reused)} over a kept connection and ${time(own.ephemeral)} over a new one (${own.label}; connecting takes ${time(own.connect)})`,
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
  const cost = withInterval(own.dollars, (dollars) => `$${dollars.toFixed(2)}`);
  return `${own.label}: ${parts.join(", ")}; in all ${time(own.perInvocation)} and ${cost} per million invocations`;
}

function protocolOf(
  { concurrency, maxConnections }: Question,
  http: FunctionEstimate,
  tcp: FunctionEstimate | undefined,
): Advice & { readonly http: boolean } {
  const question = "TCP or HTTP?";
  const held = concurrency * FROZEN_SHARE;
  if (!tcp) {
    const reason = `no TCP client was measured (needs redis-server); ${invocationOf(http)}`;
    return { question, http: true, answer: "HTTP.", reason };
  }
  const numbers = `${invocationOf(tcp)}. ${invocationOf(http)}`;
  if (held > maxConnections) {
    return {
      question,
      http: true,
      answer: "HTTP, through a gateway that shares its connections.",
      reason: `up to ${held} connections (${concurrency} concurrent instances, and about as many frozen) exceed --max-connections ${maxConnections}. ${numbers}`,
    };
  }
  const faster = minus(http.perInvocation, tcp.perInvocation);
  if (!pays(faster, http.perInvocation)) {
    const why = undecided(faster, http.perInvocation)
      ? "the measurements leave open which is faster"
      : "TCP is not much faster";
    return { question, http: true, answer: "HTTP.", reason: `${why}. ${numbers}` };
  }
  const loses = (tcp.lostAfterFreeze?.lost ?? 0) > (http.lostAfterFreeze?.lost ?? 0);
  return {
    question,
    http: false,
    answer: loses
      ? "TCP, if Redis and every device on the way keep idle connections longer than an instance lives; else HTTP, since calls are lost."
      : "TCP, if the function can reach Redis.",
    reason: `TCP takes ${time(faster)} less per invocation, and up to ${held} connections fit into ${maxConnections}. ${numbers}`,
  };
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
      : undecided(saved, own.reused)
        ? "Yes, to be safe: the measurements leave open how much it saves."
        : "Either: a pipeline saves little time here.",
    reason: `${ops} commands take ${time(own.reused)} one after another and ${time(own.pipelined)} as one pipeline (${own.label})`,
  };
}

function gateway({ concurrency }: Question, http: boolean): Advice {
  const question = "A gateway?";
  return http
    ? {
        question,
        answer: "Yes, unless your Redis has an HTTP endpoint.",
        reason: `Redis then has a few connections of the gateway instead of up to ${concurrency * FROZEN_SHARE}`,
      }
    : { question, answer: "No.", reason: "functions that use TCP connect to Redis directly" };
}
