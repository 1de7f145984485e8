// The JSON of a response, or the error in the words of the reference's client.
import type { OutgoingAnswer } from './call.ts'
import { OutgoingCallError } from './failure.ts'

/**
 * The parsed body of an answer with a status from 200 to 206. Throws `OutgoingCallError` of kind `answer` for every other status, and if
 * the body is not JSON.
 */
export function answerValue(answer: OutgoingAnswer, parse: (text: string) => unknown = JSON.parse): unknown {
  const { status, body } = answer
  checkAnswer(answer)
  const text = body.toString()
  try {
    return parse(text)
  } catch (cause) {
    throw new OutgoingCallError('answer', parseText(text, cause), { status, cause })
  }
}

/** Throws `OutgoingCallError` of kind `answer` if the status is not from 200 to 206. */
export function checkAnswer({ status, body }: OutgoingAnswer): void {
  if (status < 200 || status > 206) throw new OutgoingCallError('answer', refusalText(status, body), { status })
}

/** The message of a Status in the body. Without a Status, a text for the status code. */
function refusalText(status: number, body: Buffer): string {
  const said = body.subarray(0, LONGEST_TEXT).toString()
  return statusMessage(said) ?? codeText(status, said)
}

/** The largest number of bytes in an answer that a message shows. */
const LONGEST_TEXT = 2048

function statusMessage(text: string): string | undefined {
  try {
    const value = JSON.parse(text) as unknown
    if (typeof value !== 'object' || value === null || Reflect.get(value, 'kind') !== 'Status') return undefined
    const message = Reflect.get(value, 'message') as unknown
    return typeof message === 'string' && message !== '' ? message : undefined
  } catch {
    return undefined
  }
}

const CODE_TEXTS: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  403: 'the server does not allow access to the requested resource',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  406: 'the server was unable to respond with a content type that the client supports',
  409: 'the server reported a conflict',
  413: 'the request is too large',
  415: 'the server was unable to understand the content type',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
}

function codeText(status: number, said: string): string {
  const known = CODE_TEXTS[status]
  if (known !== undefined) return known
  if (status < 500) return `the server responded with the status code ${status} but did not return more information`
  const text = said.trim() === '' ? 'unknown' : said.trim()
  return `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`
}

function parseText(text: string, cause: unknown): string {
  const at = /position (\d+)/.exec(cause instanceof Error ? cause.message : '')?.[1]
  const wrong = at === undefined ? undefined : text[Number(at)]
  return wrong === undefined
    ? "couldn't get version/kind; json parse error: unexpected end of JSON input"
    : `couldn't get version/kind; json parse error: invalid character '${wrong}' looking for beginning of value`
}
