/** The compared servers. */
export type Server = "gateway" | "webdis" | "redis";

/** A request to one of the servers, and the number of commands in it. */
export interface ServerRequest {
  readonly server: Server;
  readonly commands: number;
  readonly request: string;
}

/** Returns a GET for each server, and a pipeline of `many` GETs for those that have one. */
export function requestsOf(token: string, key: string, many: number): ServerRequest[] {
  const post = (path: string, body: string) =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const resp = `*2\r\n$3\r\nGET\r\n$${key.length}\r\n${key}\r\n`;
  const json = JSON.stringify(["GET", key]);
  return [
    { server: "gateway", commands: 1, request: post("/", json) },
    { server: "webdis", commands: 1, request: `GET /GET/${key} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n` },
    { server: "redis", commands: 1, request: resp },
    { server: "gateway", commands: many, request: post("/pipeline", `[${Array(many).fill(json).join()}]`) },
    { server: "redis", commands: many, request: resp.repeat(many) },
  ];
}
