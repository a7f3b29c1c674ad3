/** The newest Redis all of whose commands on data the embedded engine has. INFO, HELLO and scripts get this version. */
export const CLAIMED_VERSION = "7.4.0";
