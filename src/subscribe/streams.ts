// What subscribers and MONITOR need once they are used. It imports nothing of the rest, so that it can be loaded apart.
export { follow } from "./follow.js";
export { monitor } from "./monitor.js";
