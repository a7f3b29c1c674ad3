import { useConnection } from "../connections.js";
import { UndiciConnection } from "./undici-connection.js";

// Importing this is choosing it: `import "warmline/undici"` before the first client is made.
useConnection(UndiciConnection);
