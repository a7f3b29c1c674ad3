import type { Endpoint } from "../options/endpoint.js";
import type { CommandArg } from "./args.js";
import { utf8 } from "./bytes.js";
import { type EndpointCapabilities, getCapabilities } from "./capabilities.js";
import type { HeaderValues, HttpRequest, HttpResponse } from "./http.js";
import { parseJson, readJson } from "./json.js";
import { IS_ENDPOINT, MalformedReply } from "./malformed.js";
import type { NearObserver } from "./near-requests.js";
import type { Numbers } from "./numbers.js";
import { ErrorReply, type RawReply } from "./reply.js";
import { toPath, toResp2 } from "./request.js";
import { readResp2 } from "./resp2.js";

/** An encoded request, with the function that reads its response. */
export interface EncodedRequest<Reply = RawReply> {
  readonly request: HttpRequest;
  /** @throws MalformedReply if the response is not that of a Redis endpoint; Resp2Refused. */
  read(response: HttpResponse): Reply;
}

/** The endpoint accepts no RESP2, so it did not read this request. Only warmline-gateway accepts it. */
export class Resp2Refused extends Error {}

const BYTES_REFUSED = 'this endpoint accepts bytes only in single commands without "", "." and ".."';

function textOf({ body }: HttpResponse): string {
  return utf8(body, 0, body.length);
}

/** The arguments of one command, or of each command of a batch. */
export type Argv = readonly CommandArg[] | readonly (readonly CommandArg[])[];

export type BatchPath = "pipeline" | "multi-exec";

/** The path of a request below the path of the endpoint: empty for one command. */
export type Route = BatchPath | "";

/** Requested encoding of the strings of a reply. Plain strings are JSON text, which loses bytes that are not UTF-8. */
const PLAIN = 0;
const BASE64 = 1;
const RESP2 = 2;
/** No encoding is requested: the protocol's JSON is passed through unread. */
const UNREAD = 3;
type Encoding = typeof PLAIN | typeof BASE64 | typeof RESP2 | typeof UNREAD;

/** First bytes of the protocol's JSON. No reply in RESP2 begins with them. */
const BRACE = 0x7b;
const BRACKET = 0x5b;

const SYNC_TOKEN = "upstash-sync-token";
const NEAR = "warmline-near";

/**
 * The Upstash REST protocol, with what warmline-gateway adds: RESP2 requests, and RESP2 replies to batches.
 * @see https://upstash.com/docs/redis/features/restapi
 */
export class Protocol {
  readonly #path: string;
  readonly #capabilities: EndpointCapabilities;
  readonly #wantsResp2: boolean;
  readonly #wantsBase64: boolean;
  readonly #readYourWrites: boolean;
  /** Headers by the format of the request's body, and by the encoding that they request. */
  readonly #headers: Record<"json" | "resp2" | "raw", readonly HeaderValues[]>;
  /** Headers with one more header, by the headers without it. The objects are reused, because on Node their text is cached by object. */
  readonly #extended = new WeakMap<HeaderValues, HeaderValues>();
  /** The near cache that adds a header to each request, if there is one. */
  near: NearObserver | undefined;

  /**
   * @param wantsResp2 whether to ask for replies in RESP2, if the endpoint supports it.
   * @param wantsBase64 whether to ask for base64, if a reply has to be kept byte for byte.
   * @param readYourWrites whether to send the endpoint's sync token back to it.
   */
  constructor(
    { origin, path, token }: Endpoint,
    wantsResp2: boolean,
    wantsBase64: boolean,
    readYourWrites: boolean,
  ) {
    this.#path = path;
    this.#capabilities = getCapabilities(origin, path);
    this.#wantsResp2 = wantsResp2;
    this.#wantsBase64 = wantsBase64;
    this.#readYourWrites = readYourWrites;
    const headers = (type: string) => {
      const plain = { authorization: `Bearer ${token}`, "content-type": `application/${type}` };
      return [
        plain,
        { ...plain, "upstash-encoding": "base64" },
        { ...plain, "upstash-response-format": "resp2" },
      ];
    };
    this.#headers = {
      json: headers("json"),
      resp2: headers("vnd.redis.resp2"),
      raw: headers("octet-stream"),
    };
  }

  /**
   * @param exact whether the strings of the reply are to be kept byte for byte.
   * @param inPath whether to send the command in the path, for an endpoint that does not accept RESP2.
   * @throws Resp2Refused if the path can't hold it.
   */
  command(argv: readonly CommandArg[], exact: boolean, bytes = false, inPath = false): EncodedRequest {
    const usesPath = bytes && (inPath || this.isThirdParty);
    if (!usesPath) {
      return this.#post("", argv, bytes, this.#encoding(exact, this.#capabilities.resp2));
    }
    const { path, body } = toPath(argv);
    // A URL does not keep such segments (RFC 3986, section 5.2.4).
    if (/\/(\.|%2e){0,2}(\/|$)/.test(path)) throw new Resp2Refused(BYTES_REFUSED);
    const encoding = this.#encoding(exact, false);
    const headers = this.#headers.raw[encoding]!;
    return this.#encode({ path: `${this.#path}/${path}`, headers, body }, argv, false, encoding);
  }

  #encoding(exact: boolean, hasResp2: boolean): Encoding {
    if (this.#wantsResp2 && hasResp2) return RESP2;
    return exact && this.#wantsBase64 && this.#capabilities.base64 ? BASE64 : PLAIN;
  }

  get numbers(): Numbers {
    return this.#capabilities.numbers;
  }

  get syncToken(): string {
    return this.#capabilities.syncToken;
  }

  set syncToken(token: string) {
    this.#capabilities.syncToken = token;
  }

  /** Whether the endpoint is known not to be warmline-gateway. */
  get isThirdParty(): boolean {
    return this.#capabilities.gateway === false;
  }

  /** Whether a batch may contain bytes. */
  get batchesBytes(): boolean {
    return this.#capabilities.gateway === true;
  }

  /**
   * @param exact whether the strings of the replies are to be kept byte for byte.
   * @param bytes whether there are bytes among the arguments.
   */
  batch(
    commands: readonly (readonly CommandArg[])[],
    route: BatchPath,
    exact: boolean,
    bytes = false,
  ): EncodedRequest {
    // Only warmline-gateway defines a form for the RESP2 reply to a batch.
    return this.#post(route, commands, bytes, this.#encoding(exact, this.batchesBytes));
  }

  /**
   * Returns a request whose response, the protocol's own JSON, is passed through.
   * @param extraHeaders headers besides the client's own.
   */
  passthrough(body: any, route: Route, extraHeaders: HeaderValues): EncodedRequest {
    const headers = { ...this.#headers.json[PLAIN], ...extraHeaders };
    const request = { path: `${this.#path}/${route}`, headers, body: JSON.stringify(body) };
    return this.#encode(request, body, false, UNREAD);
  }

  /** Returns a request that changes nothing, and that every token may send. */
  ping(): HttpRequest {
    return { path: `${this.#path}/`, headers: this.#headers.json[PLAIN]!, body: '["PING"]' };
  }

  #post(route: Route, argv: Argv, bytes: boolean, encoding: Encoding): EncodedRequest {
    const headers = this.#headers[bytes ? "resp2" : "json"][encoding]!;
    const body = bytes
      ? toResp2((route ? argv : [argv]) as readonly (readonly CommandArg[])[])
      : JSON.stringify(argv);
    const request = { path: `${this.#path}/${route}`, headers, body };
    return this.#encode(request, argv, bytes, encoding);
  }

  #encode(baseRequest: HttpRequest, argv: Argv, resp2Request: boolean, encoding: Encoding): EncodedRequest {
    const capabilities = this.#capabilities;
    const near = capabilities.gateway === false ? undefined : this.near?.onRequest(argv);
    let request = baseRequest;
    // A gateway has one Redis behind it, whose reads see every write.
    if (this.#readYourWrites && !capabilities.gateway)
      request = this.#extend(request, SYNC_TOKEN, capabilities.syncToken);
    if (near) request = this.#extend(request, NEAR, near.header);
    const read = (response: HttpResponse) => {
      const { status } = response;
      const isGateway = response.header("warmline-gateway") !== undefined;
      capabilities.numbers.onTicket(response.header("warmline-instance"));
      if (isGateway) capabilities.gateway = true;
      // A server in front of the gateway responded, so the outcome is unknown. Exception: 429.
      else if (capabilities.gateway && status !== 429) {
        throw new MalformedReply("the response is not from warmline-gateway");
      }
      near?.onResponse(response.header(NEAR));
      const reply = this.#read(response, encoding);
      if (!isGateway && status === 200) capabilities.gateway = false;
      capabilities.syncToken = response.header(SYNC_TOKEN) ?? capabilities.syncToken;
      if (resp2Request && !isGateway && status !== 429 && reply instanceof ErrorReply)
        throw new Resp2Refused(BYTES_REFUSED);
      return reply;
    };
    return { request, read };
  }

  /** Returns the request with a further header. */
  #extend(request: HttpRequest, name: string, value: string): HttpRequest {
    const { headers: base } = request;
    let headers = this.#extended.get(base);
    if (headers?.[name] !== value) {
      headers = { ...base, [name]: value };
      this.#extended.set(base, headers);
    }
    return { ...request, headers: headers! };
  }

  #read(response: HttpResponse, encoding: Encoding): RawReply {
    const { status, body } = response;
    if (encoding === UNREAD) return parseJson(textOf(response));
    const type = response.header("content-type") ?? "";
    // The stubs of tests send JSON as plain text.
    if (type.includes("json") || (!type.includes("html") && (body[0] === BRACE || body[0] === BRACKET))) {
      const text = textOf(response);
      if (encoding === BASE64) return this.#readBase64(text);
      if (encoding === RESP2 && status === 200) this.#capabilities.resp2 = false;
      return readJson(text, false);
    }
    if (encoding === RESP2 && body.length > 0 && !type.includes("html")) return readResp2(body);
    throw new MalformedReply(`status ${status} with content type ${type || "missing"}: ${IS_ENDPOINT}`);
  }

  #readBase64(text: string): RawReply {
    const capabilities = this.#capabilities;
    if (!capabilities.base64) return readJson(text, false);
    try {
      return readJson(text, true);
    } catch (error) {
      if (capabilities.gateway) throw error;
    }
    const reply = readJson(text, false);
    // A string was not base64: the endpoint does not support it, so later requests do not ask for it.
    capabilities.base64 = false;
    return reply;
  }
}
