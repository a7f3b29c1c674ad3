/**
 * The runtime's own timers, taken when the package is loaded: tests that put fake ones in their place later must not
 * keep a call from ever settling.
 */
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = globalThis;
