export { startEmbeddedEngine } from "./embedded/supervisor.js";
