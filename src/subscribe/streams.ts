// What subscribers and MONITOR need once they are used.
export { follow } from "./follow.js";
export { monitor } from "./monitor.js";
