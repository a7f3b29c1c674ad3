export { type StartOptions, startGateway, type TestGateway } from "./start-gateway.js";
export { type Hook, type Hooks, useGateway } from "./use-gateway.js";
