// Talks to the server that the page came from, and to nobody else.

import { errorSentence, say } from "./i18n.js";

/** The server's address, with the prefix that it may be served under. */
export const base = new URL("../../", import.meta.url);

const LONGEST_RETRY_S = 15;

let key = "";

/** Sends this API key with every request from now on; empty sends none. */
export function useKey(value) {
  key = value;
}

/** Whether an API key is sent. */
export function hasKey() {
  return key !== "";
}

/** The server answered with an error. `message` is its own sentence, `code` a stable word. */
export class ServerError extends Error {
  /** @param {string} message @param {{ status?: number, code?: string, retryAfterS?: number }} facts */
  constructor(message, { status = 0, code = "", retryAfterS = 0 }) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterS = retryAfterS;
  }
}

/** No answer came. */
export class Unreachable extends Error {}

/** After how many milliseconds to ask again, having failed `failures` times before; null where that would not help. */
export function retryDelayMs(error, failures = 0) {
  const isTemporary = error instanceof Unreachable || [429, 502, 503].includes(error.status);
  return isTemporary ? 1000 * Math.min(LONGEST_RETRY_S, error.retryAfterS || 2 ** failures) : null;
}

/** Asks until there is an answer: while the server is away or busy, it tells `problem` why, and asks again. */
export async function patiently(request, problem) {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      const delayMs = retryDelayMs(error);
      if (delayMs === null) throw error;
      problem(say(error.status ? "busy" : "unreachable"));
      await pause(delayMs);
    }
  }
}

/** Waits. */
export function pause(durationMs) {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}

/**
 * Sends a request; `body` is sent as JSON unless it is a form. Returns the response if its status is 2xx.
 *
 * @param {string} path
 * @param {{ body?: any, method?: string, headers?: Record<string, string>, signal?: AbortSignal }} [options]
 */
export async function send(path, { body, method = body ? "POST" : "GET", headers = {}, signal } = {}) {
  const isForm = body instanceof FormData;
  let response;
  try {
    response = await fetch(new URL(path, base), {
      method,
      signal,
      headers: {
        ...(body && !isForm && { "Content-Type": "application/json" }),
        ...(key && { Authorization: `${/^v\d/.test(path) ? "DeepL-Auth-Key" : "Bearer"} ${key}` }),
        ...headers,
      },
      body: body && !isForm ? JSON.stringify(body) : body,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable();
  }
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  const retryAfterS = Number(response.headers.get("Retry-After"));
  const code = answer.code ?? answer.detail;
  throw new ServerError(errorSentence(code, answer.error ?? answer.message ?? ""), { status: response.status, code, retryAfterS });
}

/** Says in words why something could not be done. */
export function reason(error) {
  return (error instanceof ServerError && error.message) || say("away");
}

/** Sends a request and returns the JSON answer. */
export async function ask(path, options) {
  const response = await send(path, options);
  try {
    return await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable(); // the connection broke, or something between the page and the server answered
  }
}

/** The server-sent events of an answer as `{ name, data }`; an `error` event is thrown. */
export async function* events(path, options) {
  const response = await send(path, options);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      rest += value;
      for (let end; (end = rest.indexOf("\n\n")) >= 0; rest = rest.slice(end + 2)) {
        const event = parse(rest.slice(0, end));
        if (event?.name === "error") {
          const { error: sentence, code } = event.data;
          throw new ServerError(errorSentence(code, sentence), { status: 500, code });
        }
        if (event) yield event;
      }
    }
  } catch (error) {
    if (error instanceof ServerError || error.name === "AbortError") throw error;
    throw new Unreachable();
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parse(block) {
  const event = {};
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) event.name = line.slice(7);
    else if (line.startsWith("data: ")) event.data = JSON.parse(line.slice(6));
  }
  return event.name && event;
}
