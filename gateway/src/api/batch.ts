import type { CommandContext } from "../access/denial-reasons.js";
import type { Permissions } from "../access/permissions.js";
import { waitOf } from "../commands/blocking.js";
import { getCommandInfo } from "../commands/command-info.js";
import type { CommandCounts } from "../metrics/commands.js";
import type { Command } from "../resp/command.js";
import { BadRequest } from "./bad-request.js";
import { type Exchange, NO_MEMORY } from "./exchange.js";
import type { JsonCommands } from "./json-args.js";
import type { RespCommands } from "./resp-args.js";
import { discarded, PipelineResponse, TransactionResponse } from "./responses.js";

const TRANSACTION: CommandContext = { kind: "transaction", before: 0 };

/** Commands of a batch that are processed in one step. */
const STEP_COMMANDS = 10;
/** Steps of one slice, and the time in ms after which it ends with fewer: a command may have very many arguments. */
const SLICE_STEPS = 25;
const MAX_SLICE_TIME = 4;
/** Commands of a batch that are refused in one slice. */
const SLICE_REFUSALS = 250;
/** Memory that a command of a batch takes until its reply, in bytes, in addition to its own bytes. */
const COMMAND_SIZE = 200;

/**
 * Reads the commands of a batch and calls `done` with them. There may be so many that the event loop
 * has to run in between.
 * @param max maximum number of commands; further ones are not read
 * @param plain returns the command to run in a command's place
 */
export function readBatch(
  exchange: Exchange,
  source: JsonCommands | RespCommands,
  max: number,
  plain: (command: Command) => Command,
  done: (commands: readonly Command[]) => void,
): void {
  const commands: Command[] = [];
  runInSlices(exchange, () => {
    const before = commands.length;
    const more = source.read(commands, Math.min(STEP_COMMANDS, max - before + 1));
    if (commands.length > max)
      throw new BadRequest(`ERR more than ${max} commands in one request (setting maxCommands)`);
    if (!exchange.hold((commands.length - before) * COMMAND_SIZE)) {
      exchange.unsent(NO_MEMORY);
      return false;
    }
    for (let i = before; i < commands.length; i++) commands[i] = plain(commands[i]!);
    if (more) return true;
    exchange.record.what = String(commands.length);
    done(commands);
    return false;
  });
}

/**
 * Runs the commands of a request.
 * @param deliveriesOf returns the number of deliveries that a command publishes
 */
export type RunBatch = (
  exchange: Exchange,
  permissions: Permissions,
  commands: readonly Command[],
  counts: CommandCounts,
  deliveriesOf: (command: Command) => number,
) => void;

/** Runs commands one after another; those that are refused get their errors in their places. */
export const runPipeline: RunBatch = (exchange, permissions, commands, counts, deliveriesOf) => {
  const places: number[] = [];
  const allowed: Command[] = [];
  const waits: number[] = [];
  const denials: [place: number, text: string][] = [];
  const { quota } = permissions;
  let mayWait = false;
  let deliveries = 0;
  const check = (command: Command, place: number) => {
    counts.received(getCommandInfo(command));
    const text = permissions.denialReason(command, { kind: "pipeline", before: place });
    if (text !== null) {
      denials.push([place, text]);
      return;
    }
    const wait = waitOf(command);
    mayWait ||= wait !== null;
    places.push(place);
    allowed.push(command);
    waits.push(wait ?? 0);
    deliveries += deliveriesOf(command);
  };
  forEachInSlices(exchange, commands, check, () => {
    const sentCount = places.length;
    if (sentCount > 0) quota.enter(sentCount, mayWait);
    quota.owe(deliveries);
    const response = new PipelineResponse(
      exchange,
      commands.length,
      places,
      (place) => counts.failed(getCommandInfo(commands[place]!)),
      () => {
        if (sentCount > 0) quota.leave(sentCount, mayWait);
      },
    );
    if (sentCount > 0) {
      exchange.record.blocks = mayWait;
      if (mayWait) exchange.unnumber();
      const { upstream } = permissions;
      const { commands: sent, receiver } = permissions.rewrite(allowed, response);
      if (mayWait) exchange.onGone(upstream.sendAlone(sent, waits, receiver));
      else upstream.send(sent, receiver);
    }
    refuseInSlices(response, denials);
  });
};

/** Refuses commands, some in each slice: all of them, even if the client has left meanwhile, since the others may have run. */
function refuseInSlices(
  response: PipelineResponse,
  denials: readonly (readonly [place: number, text: string])[],
  from = 0,
): void {
  const stop = Math.min(from + SLICE_REFUSALS, denials.length);
  for (const [place, text] of denials.slice(from, stop)) response.refuse(place, text);
  if (stop < denials.length) setImmediate(refuseInSlices, response, denials, stop);
}

/** Runs commands as a whole, or none of them. */
export const runTransaction: RunBatch = (exchange, permissions, commands, counts, deliveriesOf) => {
  const names: string[] = [];
  const { quota } = permissions;
  let deliveries = 0;
  const check = (command: Command, index: number) => {
    const info = getCommandInfo(command);
    counts.received(info);
    const text = permissions.denialReason(command, TRANSACTION);
    if (text !== null) {
      counts.failed(info);
      throw new BadRequest(discarded(index, commands.length, command.name, text));
    }
    names.push(command.name);
    deliveries += deliveriesOf(command);
  };
  forEachInSlices(exchange, commands, check, () => {
    const size = commands.length;
    quota.enter(size, false);
    quota.owe(deliveries);
    const deadline = performance.now() + quota.transactionTimeout;
    exchange.retain();
    quota.enterTransaction({
      get cancelled() {
        return exchange.abandoned;
      },
      run: () => {
        const response = new TransactionResponse(exchange, names, () => {
          quota.leave(size, false);
          quota.leaveTransaction();
        });
        permissions.upstream.transaction(commands, response, deadline);
      },
      onMissed: () => {
        quota.leave(size, false);
        exchange.commandsSettled();
        exchange.limit(quota.transactionsExceeded);
      },
    });
  });
};

/** Calls `each` for every command, some in each slice, and then `done`. */
function forEachInSlices(
  exchange: Exchange,
  commands: readonly Command[],
  each: (command: Command, index: number) => void,
  done: () => void,
): void {
  let next = 0;
  runInSlices(exchange, () => {
    const stop = Math.min(next + STEP_COMMANDS, commands.length);
    for (; next < stop; next++) each(commands[next]!, next);
    if (next < commands.length) return true;
    done();
    return false;
  });
}

/**
 * Does long work for an exchange: calls `step` until it returns false. The first slice is made at once, and the event loop
 * runs between two slices. It ends early if the client no longer waits, or if `step` throws. The error is then the response.
 */
function runInSlices(exchange: Exchange, step: () => boolean): void {
  if (exchange.abandoned) {
    exchange.unsent("ERR the request was cancelled");
    return;
  }
  const until = performance.now() + MAX_SLICE_TIME;
  let more = true;
  exchange.guard(() => {
    for (let steps = 0; more && steps < SLICE_STEPS && performance.now() < until; steps++) {
      more = false;
      more = step();
    }
  });
  if (more) setImmediate(runInSlices, exchange, step);
}
