import { command } from "../command.js";
import { Pipe, type PipeOptions } from "../pipe.js";
import { SingleUse, type SingleUseOptions } from "../single-use.js";

const READONLY = command("READONLY");
/** How long a node in trouble is passed over at first, in ms, and at most: each time twice as long as the last. */
const FIRST_EJECTION = 1_000;
const LONGEST_EJECTION = 30_000;

/** What a node is made of. */
export interface NodeOptions extends SingleUseOptions {
  readonly pipe: PipeOptions;
  /** Connections shared by ordinary commands; those for reads from a replica are as many, made when needed. */
  readonly connections: number;
}

/** One node of a cluster, and how it has been doing. */
export class Node {
  readonly single: SingleUse;
  readonly #options: NodeOptions;
  readonly #pipes: Pipe[];
  #readers: Pipe[] = [];
  #ejections = 0;
  #ejectedUntil = 0;

  constructor(
    readonly name: string,
    options: NodeOptions,
  ) {
    this.#options = options;
    this.#pipes = Array.from({ length: options.connections }, () => new Pipe(options.pipe));
    this.single = new SingleUse(options.pipe, options);
  }

  /** The shared connection of this number; another one for what a replica is to answer. */
  pipe(lane: number, fromReplica: boolean): Pipe {
    const pipes = fromReplica ? this.#replicaPipes() : this.#pipes;
    return pipes[lane % pipes.length]!;
  }

  open(): void {
    for (const pipe of this.#pipes) pipe.open();
  }

  get shared(): number {
    return [...this.#pipes, ...this.#readers].filter((pipe) => pipe.ready).length;
  }

  get pending(): number {
    return [...this.#pipes, ...this.#readers].reduce((sum, pipe) => sum + pipe.pending, 0);
  }

  /** Whether it has failed of late, so that others are preferred. */
  get isEjected(): boolean {
    return this.#ejectedUntil > performance.now();
  }

  /** It did not answer. Returns whether that was news. */
  failed(): boolean {
    if (this.isEjected) return false;
    this.#ejectedUntil =
      performance.now() + Math.min(LONGEST_EJECTION, FIRST_EJECTION * 2 ** this.#ejections++);
    return true;
  }

  /** It answered. */
  succeeded(): void {
    if (this.#ejections === 0) return;
    this.#ejections = 0;
    this.#ejectedUntil = 0;
  }

  close(): void {
    for (const pipe of [...this.#pipes, ...this.#readers]) pipe.close();
    this.single.close();
  }

  #replicaPipes(): Pipe[] {
    if (this.#readers.length === 0) {
      const { pipe } = this.#options;
      const options = { ...pipe, handshake: [...pipe.handshake, READONLY] };
      this.#readers = this.#pipes.map(() => new Pipe(options));
    }
    return this.#readers;
  }
}
