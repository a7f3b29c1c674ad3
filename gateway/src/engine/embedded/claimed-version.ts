/** Newest Redis version of which the embedded engine has every data command. INFO, HELLO and scripts report it. */
export const CLAIMED_VERSION = "7.4.0";
