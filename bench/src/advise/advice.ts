import { ms } from "../format.js";
import type { Estimate } from "./function-estimate.js";
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
export function advise(question: Question, http: Estimate, tcp: Estimate | undefined): Advice[] {
  const protocol = protocolOf(question, http, tcp);
  const own = protocol.http ? http : tcp!;
  return [connection(own), protocol, batching(question, own), gateway(question, protocol.http)];
}

function connection(own: Estimate): Advice {
  const saved = own.ephemeral - own.reused;
  const reuse = saved > WORTH_IT * own.reused;
  return {
    question: "Reuse the connection, or open one per invocation?",
    answer: reuse
      ? "Reuse: create the client outside the handler."
      : "Either: connecting takes little time here.",
    reason: `an invocation's commands take ${ms(own.reused)} over a kept connection and ${ms(own.ephemeral)} over a new one (${own.label}; connecting takes ${ms(own.connect)})`,
  };
}

function protocolOf(
  { concurrency, maxConnections, ops }: Question,
  http: Estimate,
  tcp: Estimate | undefined,
): Advice & { readonly http: boolean } {
  const question = "TCP or HTTP?";
  const held = concurrency * FROZEN_SHARE;
  const frozen = tcp?.lostAfterFreeze;
  const risk =
    frozen && frozen.lost > 0
      ? `; over TCP ${frozen.lost} of ${frozen.calls} calls after a freeze were lost if the server's idle limit was shorter`
      : "";
  if (!tcp) {
    return {
      question,
      http: true,
      answer: "HTTP.",
      reason: `no TCP client was measured (needs redis-server); over HTTP a command takes ${ms(http.warm)}`,
    };
  }
  const faster = http.reused - tcp.reused;
  const numbers = `${ops} command${ops === 1 ? " takes" : "s take"} ${ms(tcp.reused)} over TCP (${tcp.label}) and ${ms(http.reused)} over HTTP (${http.label})`;
  if (held > maxConnections) {
    return {
      question,
      http: true,
      answer: "HTTP, through a gateway that shares its connections.",
      reason: `up to ${held} connections (${concurrency} concurrent instances, and about as many frozen) exceed --max-connections ${maxConnections}; ${numbers}${risk}`,
    };
  }
  if (faster > WORTH_IT * http.reused) {
    return {
      question,
      http: false,
      answer: "TCP, if the function can reach Redis and handles connections that die during a freeze.",
      reason: `${numbers}, and up to ${held} connections fit into ${maxConnections}${risk}`,
    };
  }
  return {
    question,
    http: true,
    answer: "HTTP.",
    reason: `${numbers}: the difference is too small to matter${risk}`,
  };
}

function batching({ ops }: Question, own: Estimate): Advice {
  const question = "Pipeline?";
  if (ops === 1) {
    return { question, answer: "No: there is only one command.", reason: `it takes ${ms(own.reused)}` };
  }
  const pays = own.reused - own.pipelined > WORTH_IT * own.reused;
  return {
    question,
    answer: pays
      ? "Yes: run independent commands with Promise.all, or as one pipeline."
      : "Either: a pipeline saves little time here.",
    reason: `${ops} commands take ${ms(own.reused)} one after another and ${ms(own.pipelined)} as one pipeline (${own.label})`,
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
