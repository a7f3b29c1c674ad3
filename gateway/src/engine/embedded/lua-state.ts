import {
  createRedisLuaRuntime,
  RedisCommandError,
  RedisServerState,
  type RedisServerStateOptions,
  resolveCompatibilityProfile,
} from "js-redis-server/core";
import { CLAIMED_VERSION } from "./claimed-version.js";
import { FunctionLibraries } from "./lua/functions.js";
import { LuaRuntime } from "./lua/runtime.js";

type Options = Pick<RedisServerStateOptions, "databaseCount" | "activeExpiryIntervalMs">;

/**
 * The engine's state. If a script uses up the WebAssembly heap, its Lua instance stays broken: it is
 * dropped, and the next script gets a new one. The data is kept.
 */
export class EngineState extends RedisServerState {
  #lua: Promise<LuaRuntime> | undefined;

  constructor(options: Options) {
    super({
      ...options,
      functionRegistry: new FunctionLibraries(),
      // Only the version changes: the features are those of the library's newest one.
      compatibility: { ...resolveCompatibilityProfile(), version: CLAIMED_VERSION },
    });
  }

  /** Calls `run` with the current Lua. @throws {RedisCommandError} if its script runs out of memory */
  async withLua<T>(run: (lua: LuaRuntime) => T): Promise<T> {
    this.#lua ??= createRedisLuaRuntime(this.profile).then((library) => new LuaRuntime(library));
    const lua = await this.#lua;
    try {
      return run(lua);
    } catch (error) {
      if (error instanceof RedisCommandError) throw error;
      this.#lua = undefined;
      throw new RedisCommandError(
        "script ran out of memory in the embedded engine; its earlier writes remain",
      );
    }
  }
}
