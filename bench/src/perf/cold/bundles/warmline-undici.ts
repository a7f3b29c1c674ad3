import "warmline/undici";

export { open } from "./warmline.js";
