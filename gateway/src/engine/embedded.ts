export { type EmbeddedOptions, startEmbeddedEngine } from "./embedded/supervisor.js";
