import {
  createRedisLuaRuntime,
  RedisCommandError,
  type RedisLuaRuntime,
  RedisServerState,
} from "js-redis-server/core";

/**
 * The engine's state with a Lua that recovers. Once a script has used up the WebAssembly heap, that
 * instance stays broken; it is dropped, and the next script gets a new one. The data is not touched.
 */
export class RecoveringState extends RedisServerState {
  #runtime: Promise<RedisLuaRuntime> | undefined;

  override getLuaRuntime(): Promise<RedisLuaRuntime> {
    this.#runtime ??= this.#create();
    return this.#runtime;
  }

  async #create(): Promise<RedisLuaRuntime> {
    try {
      const runtime = await createRedisLuaRuntime(this.profile);
      const evaluate = runtime.eval.bind(runtime);
      runtime.eval = (...args) => {
        try {
          return evaluate(...args);
        } catch (error) {
          if (error instanceof RedisCommandError) throw error;
          this.#runtime = undefined;
          throw new RedisCommandError(
            "script ran out of memory in the embedded engine; its writes up to then remain",
          );
        }
      };
      return runtime;
    } catch (error) {
      this.#runtime = undefined;
      throw error;
    }
  }
}
