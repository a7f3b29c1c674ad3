import type { LaneClock, Lanes as RealLanes, Standing } from "../../gateway/src/numbers/lanes.js";
import type { Copy, NumberedRequest } from "../../gateway/src/numbers/numbered-request.js";
import { BufferBudget } from "../../gateway/src/util/buffer-budget.js";
import { Pending } from "../../src/execution/command.js";
import { deliver } from "../../src/execution/delivery.js";
import type { HttpRequest, HttpResponse } from "../../src/protocol/http.js";
import { Numbers } from "../../src/protocol/numbers.js";
import type { AttemptListener, Transport } from "../../src/transport/transport.js";
import { createStats } from "../../src/transport/transport.js";
import { mulberry32 } from "./model/random.mjs";

/** How many times faster the clocks of clients and gateways run than timers. */
const SPEED = 1_000;
/** The duration of a call, in real ms. */
const CALL = 60;

/** Which way requests take. */
export interface Shape {
  readonly gateways: 1 | 2;
  /**
   * - `l4`: a connection leads to one gateway.
   * - `l7`: each request goes to any, and the proxy says that it is one. It repeats requests whose response is lost.
   */
  readonly path: "l4" | "l7";
  /** Whether some clients share the numbers of others, as clones of a snapshot do. */
  readonly clones: boolean;
}

/** What was seen of the calls of a run. */
export interface Tally {
  calls: number;
  values: number;
  unsent: number;
  unknown: number;
  /** Copies of numbered requests that were run, answered from a record, or refused. */
  copies: number;
  refused: number;
  readonly violations: string[];
  /** What happened to the first of them. */
  readonly histories: string[];
}

interface Options extends Shape {
  readonly seed: number;
  readonly calls: number;
  readonly Lanes: typeof RealLanes;
}

const began = performance.now();
const seconds = () => ((performance.now() - began) / 1_000) * SPEED + 1e6;
const now = () => ({ monotonic: seconds() * 1_000, wall: seconds() * 1_000 });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends increments, each of a key of its own, through a network that loses, delays and repeats, and counts what was applied. */
export async function runNumbersModel({
  seed,
  calls,
  Lanes,
  gateways,
  path,
  clones,
}: Options): Promise<Tally> {
  const next = mulberry32(seed);
  const applied = new Map<string, number>();
  const tally: Tally = {
    calls: 0,
    values: 0,
    unsent: 0,
    unknown: 0,
    copies: 0,
    refused: 0,
    violations: [],
    histories: [],
  };

  const notes = new Map<string, string[]>();
  const note = (key: string, text: string) => {
    if (!notes.has(key)) notes.set(key, []);
    notes.get(key)!.push(`${Math.round(performance.now() - began)} ms: ${text}`);
  };
  let names = 0;

  /** A process of the gateway, with the real lanes. */
  class Gateway {
    readonly name = `gateway ${++names}`;
    #ended = false;
    #ahead = 0;
    readonly #clock: LaneClock = { monotonic: seconds, wall: () => seconds() + this.#ahead };
    readonly #aloneSince = gateways === 1 ? seconds() : null;
    readonly #standing: Standing = { use: () => true, check() {}, aloneSince: this.#aloneSince };
    // Room for few lanes, so that they are forgotten soon.
    readonly #lanes = new Lanes(new BufferBudget(400 * 1024), this.#standing, this.#clock);
    #stopped: Promise<unknown> = Promise.resolve();

    end(): void {
      this.#ended = true;
      this.#lanes.close();
    }

    /** A machine that was stored and restored: its clocks part. */
    restore(): void {
      this.#ahead += 1_000;
    }

    stall(ms: number): void {
      this.#stopped = pause(ms);
    }

    sweep(): void {
      this.#lanes.sweep();
    }

    async handle(
      { path: url, headers: { token }, body }: HttpRequest,
      isOver: () => boolean,
    ): Promise<HttpResponse | undefined> {
      await this.#stopped;
      if (this.#ended || isOver()) return undefined;
      const [, n, number] = url.split("/");
      note(String(body), `arrives at ${this.name}: ${number || "unnumbered"}`);
      if (n !== "n") {
        await pause(next() * 2);
        return this.#ended ? undefined : this.#respond(200, String(this.#apply(String(body))), []);
      }
      tally.copies++;
      return new Promise((resolve) => {
        const copy: Copy = {
          get isOver() {
            return isOver();
          },
          respond: (status, _type, bytes, more) => resolve(this.#respond(status, bytes.toString(), more)),
          refuseNumber: (why, outcome, alone) => {
            tally.refused++;
            note(String(body), `refused by ${this.name}: ${why}, ${outcome}, alone for ${alone}`);
            const since =
              alone === undefined
                ? ["warmline-number", "final"]
                : alone === null
                  ? []
                  : ["warmline-alone", String(alone * 1_000)];
            resolve(this.#respond(412, "", ["warmline-outcome", outcome, ...since]));
          },
          unsent: () => resolve(this.#respond(503, "", ["warmline-outcome", "unsent"])),
        };
        const digest = [...String(body)].reduce((sum, each) => (sum * 31 + each.charCodeAt(0)) | 0, 0);
        const request = this.#lanes.enter(number!, token!, digest, copy, path === "l7");
        if (request) void this.#run(request, String(body), resolve);
      });
    }

    async #run(request: NumberedRequest, key: string, resolve: (response: HttpResponse | undefined) => void) {
      const dice = next();
      if (dice < 0.3) await pause(next() * 10);
      if (this.#ended) return resolve(undefined);
      const settle = (status: number, text: string, given: string[]) => {
        const more = status < 400 ? given : [...given, "warmline-number", "final"];
        request.settle(status, "", Buffer.from(text), more);
        resolve(this.#respond(status, text, more));
      };
      if (!request.isAwaited) settle(503, "", ["warmline-outcome", "unsent"]);
      else if (dice < 0.02) settle(503, "", ["warmline-outcome", "unsent"]);
      else {
        const value = this.#apply(key);
        await pause(next() * 3);
        if (this.#ended) resolve(undefined);
        else if (dice > 0.98) settle(502, "", ["warmline-outcome", "unknown"]);
        else if (dice > 0.96) {
          request.unkept();
          resolve(this.#respond(200, String(value), []));
        } else settle(200, String(value), []);
      }
    }

    #apply(key: string): number {
      const value = (applied.get(key) ?? 0) + 1;
      applied.set(key, value);
      note(key, `applied by ${this.name}`);
      return value;
    }

    #respond(status: number, text: string, more: readonly string[]): HttpResponse {
      const headers = [...more, "warmline-gateway", "0", ...this.#lanes.offer()];
      const header = (name: string) => {
        const at = headers.findIndex((each, place) => place % 2 === 0 && each.toLowerCase() === name);
        return at < 0 ? undefined : headers[at + 1];
      };
      return { status, header, body: Buffer.from(text) };
    }
  }

  const processes = Array.from({ length: gateways }, () => new Gateway());
  const any = () => Math.floor(next() * gateways);

  /** Takes a copy of a request to a gateway. Resolves with its response; with nothing if that is lost, or it is. */
  async function carry(place: number, request: HttpRequest, isOver: () => boolean) {
    const dice = next();
    await pause(next() * 4);
    if (dice < 0.06) return undefined;
    // Late, and its connection is gone by then, or seems to be there.
    if (dice < 0.12) await pause(next() * CALL * 2);
    const seemsOver = dice < 0.09 ? () => false : isOver;
    // Without a number it would be applied twice, as ever.
    const isNumbered = request.path.startsWith("/n/");
    const process = processes[place]!;
    if (isNumbered && dice > 0.95) void process.handle(request, () => false);
    // The client sees that its connection is lost, but the copy still arrives.
    if (dice > 0.9 && dice < 0.93) {
      void pause(next() * CALL).then(() => process.handle(request, () => next() < 0.5));
      return undefined;
    }
    let response = await process.handle(request, seemsOver);
    // The proxy repeats by itself, perhaps elsewhere.
    if (isNumbered && path === "l7" && next() < 0.1)
      response = await processes[any()]!.handle(request, seemsOver);
    return next() < 0.12 ? undefined : response;
  }

  class Client {
    readonly numbers: Pick<Numbers, keyof Numbers>;
    readonly #transport: Transport;

    constructor(
      private readonly token: string,
      shared: string | undefined,
    ) {
      const own = new Numbers("", now);
      let renewed = false;
      let sequence = 10;
      this.numbers = {
        onTicket: (ticket) => own.onTicket(ticket),
        take: () => {
          // The clock of the model runs faster than that of the call.
          const number = own.take(now());
          if (!shared || renewed || !number) return number;
          const parts = number.text.split(".");
          parts[2] = shared;
          parts[4] = String(sequence++);
          return { ...number, text: parts.join(".") };
        },
        apply: (request, number) => own.apply(request, number),
        release: (number) => own.release(number),
        refused: (response) => own.refused(response),
        isUnapplied: (response, number) => own.isUnapplied(response, number),
        renew: () => {
          renewed = true;
          own.renew();
        },
      };
      this.#transport = {
        stats: createStats(),
        onRetry() {},
        attempt: (listener) => this.#attempt(listener),
      };
    }

    #attempt(listener: AttemptListener) {
      let over = false;
      let running = 0;
      let written = 0;
      let refusal: HttpResponse | undefined;
      const end = (then: () => void) => {
        if (over) return;
        over = true;
        then();
      };
      let repeatable = false;
      const write = async () => {
        repeatable = listener.numberIfNeeded();
        const request = listener.take();
        try {
          listener.onStart();
        } catch (error) {
          end(() => listener.onFailure(error as Error));
          return;
        }
        written++;
        running++;
        const response = await carry(any(), request, () => over);
        running--;
        if (over) return;
        if (response && running > 0 && listener.isRefusal?.(response)) refusal = response;
        else if (response ?? (running === 0 && refusal))
          end(() => listener.onResponse((response ?? refusal)!, written > 1));
        else if (running === 0) end(() => listener.onFailure(new Error("lost")));
      };
      void write();
      // A hedge, as on a suspect connection.
      if (next() < 0.4) {
        setTimeout(() => {
          if (!over && repeatable) void write();
        }, next() * 10);
      }
      return { abort: () => end(() => {}) };
    }

    call(key: string): Promise<void> {
      const { numbers } = this;
      const read = (response: HttpResponse) => {
        numbers.onTicket(response.header("warmline-instance"));
        return [{ kind: "value", value: Number(response.body.toString()) } as const];
      };
      return new Promise((resolve) => {
        note(key, "called");
        const settle = (kind: "value" | "unsent" | "unknown", value?: number) => {
          const count = applied.get(key) ?? 0;
          tally.calls++;
          note(key, `${kind} ${value ?? ""}`);
          tally[kind === "value" ? "values" : kind]++;
          if (kind === "value" && value !== 1) tally.violations.push(`${key}: value ${value}`);
          if (kind === "value" && count === 0) tally.violations.push(`${key}: value, not applied`);
          // Later as well.
          if (kind === "unsent") unsent.push(key);
          resolve();
        };
        const command = { name: "INCR", write: true, repeatable: false };
        const pending = new Pending(command, undefined, {
          onValue: (value) => settle("value", value as number),
          onError: (error) => settle((error as { outcome: "unsent" | "unknown" }).outcome),
        });
        const context = { transport: this.#transport, endpoint: undefined };
        deliver(context, [pending], {
          label: "INCR",
          settings: { retries: 4, backoff: () => next() * 4 },
          time: CALL,
          numbers: numbers as Numbers,
          encode: () => ({ request: { path: "/", headers: { token: this.token }, body: key }, read }),
        });
      });
    }
  }

  const unsent: string[] = [];
  let over = false;
  const disturbing = (async () => {
    while (!over) {
      await pause(10 + next() * 150);
      const place = any();
      const dice = next();
      if (dice < 0.15) {
        processes[place]!.end();
        processes[place] = new Gateway();
      } else if (dice < 0.25) processes[place]!.restore();
      else if (dice < 0.5) processes[place]!.stall(next() * CALL);
      else processes[place]!.sweep();
    }
  })();
  let keys = 0;
  const clients = Array.from(
    { length: 40 },
    (_, at) => new Client(at < 30 ? "one" : "another", clones && at < 10 ? "clone" : undefined),
  );
  await Promise.all(
    clients.map(async (client) => {
      while (keys < calls) {
        const several = Array.from({ length: 1 + Math.floor(next() * 3) }, () =>
          client.call(`key ${keys++}`),
        );
        await Promise.all(several);
        if (next() < 0.3) await pause(next() * 20);
        // A copy that is in flight is older than lanes are kept.
        if (next() < 0.02) await pause(900 / (SPEED / 1_000));
      }
    }),
  );
  over = true;
  await disturbing;
  await pause(3 * CALL);
  for (const each of processes) each.end();
  for (const key of unsent) if (applied.has(key)) tally.violations.push(`${key}: unsent, and applied`);
  for (const [key, count] of applied) if (count > 1) tally.violations.push(`${key}: applied ${count} times`);
  for (const violation of tally.violations.slice(0, 3)) {
    const [key] = violation.split(":");
    tally.histories.push([violation, ...notes.get(key!)!].join("\n  "));
  }
  return tally;
}
