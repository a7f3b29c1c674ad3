/**
 * A gateway inside the process of your tests.
 *
 * @module warmline-gateway/testing
 */
export { type StartOptions, startGateway, type TestGateway } from "./start-gateway.js";
export { type Hook, type Hooks, useGateway } from "./use-gateway.js";
