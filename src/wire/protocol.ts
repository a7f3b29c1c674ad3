import { utf8 } from "./bytes.js";
import type { Dialect } from "./dialect.js";
import type { HttpAnswer, HttpRequest } from "./http.js";
import { readJson } from "./json.js";
import { MalformedReply } from "./malformed.js";
import type { RawReply } from "./reply.js";
import { hasBytes, RESP2_TYPE, toJson, toPath, toResp2 } from "./request.js";
import { readResp2 } from "./resp2.js";
import type { Word } from "./words.js";

/** A request, and how its answer is to be read. */
export interface Message {
  readonly request: HttpRequest;
  /** @throws MalformedReply when the answer is not one of a Redis endpoint. */
  read(answer: HttpAnswer): RawReply;
}

/**
 * The endpoint doesn't take RESP2 requests, and so read nothing of this one: send it in another form.
 * Only warmline-gateway takes them, and it says in every answer that it is one.
 */
export class Resp2Refused extends Error {}

export type BatchPath = "pipeline" | "multi-exec";

const RESP2_REPLY = ["upstash-response-format", "resp2"];
const BASE64_REPLY = ["upstash-encoding", "base64"];

/**
 * The Upstash REST protocol, with what warmline-gateway adds: RESP2 requests, and RESP2 replies to pipelines.
 * @see https://upstash.com/docs/redis/features/restapi
 */
export class Protocol {
  private readonly headers: Record<
    "jsonToResp2" | "jsonToJson" | "resp2ToResp2" | "resp2ToJson" | "raw",
    string[]
  >;

  /**
   * @param path where commands are sent, without a slash at its end.
   * @param wantsResp2 whether to ask for replies in RESP2 where the endpoint has it.
   */
  constructor(
    private readonly path: string,
    token: string,
    private readonly dialect: Dialect,
    private readonly wantsResp2: boolean,
  ) {
    const authorization = ["authorization", `Bearer ${token}`];
    const json = [...authorization, "content-type", "application/json"];
    const resp2 = [...authorization, "content-type", RESP2_TYPE];
    this.headers = {
      jsonToResp2: [...json, ...RESP2_REPLY],
      jsonToJson: [...json, ...BASE64_REPLY],
      resp2ToResp2: [...resp2, ...RESP2_REPLY],
      resp2ToJson: [...resp2, ...BASE64_REPLY],
      raw: [...authorization, "content-type", "application/octet-stream", ...BASE64_REPLY],
    };
  }

  /** @param inPath sends the command in the path: how bytes reach an endpoint that takes no RESP2. */
  command(words: readonly Word[], inPath = false): Message {
    const bytes = hasBytes(words);
    if (bytes && (inPath || this.dialect.gateway === false)) {
      const { path, body } = toPath(words);
      return this.message({ path: `${this.path}/${path}`, headers: this.headers.raw, body }, false);
    }
    return this.post(`${this.path}/`, bytes ? [words] : words, bytes, this.wantsResp2 && this.dialect.resp2);
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
    return this.post(`${this.path}/${path}`, commands, commands.some(hasBytes), resp2Reply);
  }

  /** The request that changes nothing and that anybody may make. */
  ping(): HttpRequest {
    return { path: `${this.path}/`, headers: this.headers.jsonToJson, body: '["PING"]' };
  }

  private post(
    path: string,
    body: readonly Word[] | readonly (readonly Word[])[],
    bytes: boolean,
    resp2Reply: boolean,
  ) {
    const { headers } = this;
    if (!bytes) {
      const chosen = resp2Reply ? headers.jsonToResp2 : headers.jsonToJson;
      return this.message({ path, headers: chosen, body: toJson(body) }, false);
    }
    const chosen = resp2Reply ? headers.resp2ToResp2 : headers.resp2ToJson;
    return this.message({ path, headers: chosen, body: toResp2(body as readonly (readonly Word[])[]) }, true);
  }

  private message(request: HttpRequest, resp2Request: boolean): Message {
    return {
      request,
      read: (answer) => {
        this.dialect.gateway = answer.header("warmline-gateway") !== undefined;
        if (resp2Request && !this.dialect.gateway) throw new Resp2Refused();
        return this.readReply(answer, request.headers.includes("upstash-encoding"));
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
