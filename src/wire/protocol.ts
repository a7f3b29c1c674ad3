import { utf8 } from "./bytes.js";
import type { Dialect } from "./dialect.js";
import type { HttpAnswer, HttpRequest } from "./http.js";
import { readJson } from "./json.js";
import { MalformedReply } from "./malformed.js";
import { ErrorReply, type RawReply } from "./reply.js";
import { hasBytes, RESP2_TYPE, toJson, toPath, toResp2 } from "./request.js";
import { readResp2 } from "./resp2.js";
import type { Word } from "./words.js";

/** A request, and how its answer is to be read. */
export interface Message {
  readonly request: HttpRequest;
  /** The words that it carries, and the route that they take: empty for one command. */
  readonly words: Words;
  readonly route: BatchPath | "";
  /** @throws MalformedReply when the answer is not one of a Redis endpoint. */
  read(answer: HttpAnswer): RawReply;
}

/**
 * The endpoint doesn't take RESP2 requests, and so read nothing of this one: send it in another form.
 * Only warmline-gateway takes them, and it says in every answer that it is one.
 */
export class Resp2Refused extends Error {}

type Words = readonly Word[] | readonly (readonly Word[])[];

export type BatchPath = "pipeline" | "multi-exec";

const RESP2_REPLY = ["upstash-response-format", "resp2"];
const SYNC_TOKEN = "upstash-sync-token";
const BASE64_REPLY = ["upstash-encoding", "base64"];

/**
 * The Upstash REST protocol, with what warmline-gateway adds: RESP2 requests, and RESP2 replies to pipelines.
 * @see https://upstash.com/docs/redis/features/restapi
 */
export class Protocol {
  private readonly headers: Record<
    "jsonToResp2" | "jsonToJson" | "resp2ToResp2" | "resp2ToJson" | "raw" | "plain",
    string[]
  >;

  /**
   * @param path where commands are sent, without a slash at its end.
   * @param wantsResp2 whether to ask for replies in RESP2 where the endpoint has it.
   * @param readYourWrites whether to send the endpoint's sync token back to it.
   */
  constructor(
    private readonly path: string,
    token: string,
    private readonly dialect: Dialect,
    private readonly wantsResp2: boolean,
    private readonly readYourWrites: boolean,
  ) {
    const authorization = ["authorization", `Bearer ${token}`];
    const json = [...authorization, "content-type", "application/json"];
    const resp2 = [...authorization, "content-type", RESP2_TYPE];
    this.headers = {
      jsonToResp2: [...json, ...RESP2_REPLY],
      jsonToJson: [...json, ...BASE64_REPLY],
      resp2ToResp2: [...resp2, ...RESP2_REPLY],
      resp2ToJson: [...resp2, ...BASE64_REPLY],
      plain: json,
      raw: [...authorization, "content-type", "application/octet-stream", ...BASE64_REPLY],
    };
  }

  /** @param inPath sends the command in the path: how bytes reach an endpoint that takes no RESP2. */
  command(words: readonly Word[], inPath = false): Message {
    const bytes = hasBytes(words);
    if (bytes && (inPath || this.dialect.gateway === false)) {
      const { path, body } = toPath(words);
      const request = { path: `${this.path}/${path}`, headers: this.headers.raw, body };
      return this.message({ request, words, route: "" }, false);
    }
    return this.post("", words, bytes, this.wantsResp2 && this.dialect.resp2);
  }

  get syncToken(): string {
    return this.dialect.syncToken;
  }

  set syncToken(token: string) {
    this.dialect.syncToken = token;
  }

  /** Whether the endpoint is known not to be warmline-gateway. */
  get isForeign(): boolean {
    return this.dialect.gateway === false;
  }

  /** Whether a batch may hold bytes. */
  get batchesBytes(): boolean {
    return this.dialect.gateway === true;
  }

  batch(commands: readonly (readonly Word[])[], path: BatchPath): Message {
    // What a pipeline's RESP2 reply looks like is known of our gateway alone; a transaction has none.
    const resp2Reply = this.wantsResp2 && this.dialect.gateway === true && path === "pipeline";
    return this.post(path, commands, commands.some(hasBytes), resp2Reply);
  }

  /** A request whose answer is the protocol's own JSON, not to be read but handed on. */
  plain(body: unknown, route: string): HttpRequest {
    return { path: `${this.path}/${route}`, headers: this.headers.plain, body: JSON.stringify(body) };
  }

  /** The request that changes nothing and that anybody may make. */
  ping(): HttpRequest {
    return { path: `${this.path}/`, headers: this.headers.jsonToJson, body: '["PING"]' };
  }

  private post(route: BatchPath | "", words: Words, bytes: boolean, resp2Reply: boolean): Message {
    const { headers } = this;
    const path = `${this.path}/${route}`;
    if (!bytes) {
      const chosen = resp2Reply ? headers.jsonToResp2 : headers.jsonToJson;
      return this.message({ request: { path, headers: chosen, body: toJson(words) }, words, route }, false);
    }
    const chosen = resp2Reply ? headers.resp2ToResp2 : headers.resp2ToJson;
    const body = toResp2((route ? words : [words]) as readonly (readonly Word[])[]);
    return this.message({ request: { path, headers: chosen, body }, words, route }, true);
  }

  private message(message: Omit<Message, "read">, resp2Request: boolean): Message {
    const { dialect } = this;
    const { request: unsynced } = message;
    // A gateway has one Redis behind it, whose reads see every write.
    const request =
      this.readYourWrites && dialect.gateway !== true
        ? { ...unsynced, headers: [...unsynced.headers, SYNC_TOKEN, dialect.syncToken] }
        : unsynced;
    return {
      ...message,
      request,
      read: (answer) => {
        const ours = answer.header("warmline-gateway") !== undefined;
        if (ours) dialect.gateway = true;
        // Something on the way answered in its place; what became of the request is not known.
        else if (dialect.gateway && answer.status === 200) {
          throw new MalformedReply("the answer is somebody else's, not warmline-gateway's");
        }
        const reply = this.readReply(answer, request.headers.includes("upstash-encoding"));
        if (!ours && answer.status === 200) dialect.gateway = false;
        dialect.syncToken = answer.header(SYNC_TOKEN) ?? dialect.syncToken;
        if (resp2Request && !ours && reply instanceof ErrorReply) throw new Resp2Refused();
        return reply;
      },
    };
  }

  private readReply(answer: HttpAnswer, base64: boolean): RawReply {
    const type = answer.header("content-type") ?? "";
    if (type.includes("json")) {
      // It was asked for RESP2 and has none: strings without an encoding lose bytes, so ask for base64 from now on.
      if (!base64 && answer.status === 200) this.dialect.resp2 = false;
      return readJson(utf8(answer.body, 0, answer.body.length), base64);
    }
    if (base64 || type.includes("html")) {
      throw new MalformedReply(
        `status ${answer.status} with content type ${type || "missing"}: is this a Redis HTTP endpoint?`,
      );
    }
    return readResp2(answer.body);
  }
}
