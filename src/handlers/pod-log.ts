// GET on the log of a container. The kubelet of the container's node serves the log (R-266, P-405 to P-410).
import { type FieldError, forbidden, invalid, quoted } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import { integerParameter } from '../api/list-query.ts'
import { mapOrEmpty, textOrEmpty } from '../api/members.ts'
import { metaText } from '../api/object-members.ts'
import { ApiError, type StatusReason } from '../api/status.ts'
import type { HttpResponse } from '../http/http.ts'
import { isTrue, type Query } from '../http/query.ts'
import { SANDBOXED } from '../http/responses.ts'
import { invalidError } from '../api/invalid-error.ts'
import type { OpenAnswer } from '../outgoing/call.ts'
import { OutgoingCallError } from '../outgoing/failure.ts'
import { connectionsOf, kubeletOf } from './kubelets.ts'
import { passedOn } from './passed-requests.ts'
import { chooseContainer, readTarget } from './pod-container.ts'
import type { ResourceParts, ResourceRequest } from './resource-parts.ts'
import { checkTextAccept } from './respond.ts'

/** The lowest value of each parameter, and the message for a lower value. */
const NUMBERS: Readonly<Record<'tailLines' | 'limitBytes' | 'sinceSeconds', readonly [least: bigint, detail: string]>> =
  {
    tailLines: [0n, 'must be greater than or equal to 0'],
    limitBytes: [1n, 'must be greater than 0'],
    sinceSeconds: [1n, 'must be greater than 0'],
  }
const STREAM_GATE = 'PodLogsQuerySplitStreams'

export async function handlePodLog(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, info } = request
  const name = info.name ?? ''
  checkTextAccept(parts, request)
  const faults = optionFaults(http.query, parts.gates)
  if (faults.length > 0) throw invalidError({ group: '', kind: 'PodLogOptions' }, name, faults)
  const pod = await readTarget(parts, request, name)
  const container = chooseContainer(pod, http.query.get('container') ?? '')
  const node = textOrEmpty(mapOrEmpty(pod, 'spec'), 'nodeName')
  if (node === '') return { status: 204, headers: {}, body: { kind: 'empty' } }
  const kubelet = await kubeletOf(parts, request, node)
  const place = [metaText(pod, 'namespace'), name, container].map(encodeURIComponent).join('/')
  const search = logOptions(http.query, parts.gates).toString()
  const path = `/containerLogs/${place}${search === '' ? '' : `?${search}`}`
  const headers = { host: new URL(kubelet.url).host }
  try {
    const call = { method: 'GET', path, headers, body: undefined }
    return await logAnswer(await connectionsOf(parts).kubelets.open(kubelet, call, http.signal), name)
  } catch (error) {
    if (!(error instanceof OutgoingCallError)) throw error
    throw new ApiError('', `Get ${JSON.stringify(kubelet.url + path)}: ${error.message}`)
  }
}

/** The largest part of a kubelet's answer that an error shows, in bytes. */
const LONGEST_TEXT = 50_000

async function logAnswer(answer: OpenAnswer, name: string): Promise<HttpResponse> {
  const { status, pieces } = answer
  if (status >= 300 && status < 400) {
    answer.discard()
    throw new OutgoingCallError('answer', 'redirects forbidden')
  }
  if (status < 200 || status > 206) throw refusal(status, await textOf(answer), name)
  return {
    status: 200,
    headers: { 'content-type': 'text/plain', ...SANDBOXED },
    body: passedOn(pieces),
  }
}

async function textOf(answer: OpenAnswer): Promise<string> {
  const read: Buffer[] = []
  let length = 0
  for await (const piece of answer.pieces) {
    read.push(piece)
    length += piece.length
    if (length > LONGEST_TEXT) break
  }
  answer.discard()
  return Buffer.concat(read).subarray(0, LONGEST_TEXT).toString()
}

/** The error for a kubelet's refusal, in the reference's words (P-409). */
function refusal(status: number, text: string, name: string): ApiError {
  if (status === 400) return new ApiError('BadRequest', text)
  if (status === 500) return new ApiError('InternalError', `Internal error occurred: ${text}`)
  const [reason, message] = REFUSALS[status] ?? [
    status > 500 ? 'InternalError' : '',
    status > 500
      ? `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`
      : `the server responded with the status code ${status} but did not return more information`,
  ]
  const details = { name, kind: 'pods/log' }
  return new ApiError(reason, `${message === '' ? text : message} ( pods/log ${name})`, { code: status, details })
}

/** An empty message: the kubelet's own message is used. */
const REFUSALS: Readonly<Record<number, readonly [reason: StatusReason, message: string]>> = {
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  403: ['Forbidden', ''],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: [
    'Timeout',
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
}

/** The parameters for a kubelet, sorted by name. */
function logOptions(query: Query, gates: ReadonlySet<string>): URLSearchParams {
  const options = new URLSearchParams()
  for (const name of ['follow', 'previous', 'timestamps']) if (isTrue(query.get(name))) options.append(name, 'true')
  for (const name of Object.keys(NUMBERS)) {
    const value = integerIn(query, name)
    if (value !== undefined) options.append(name, String(value))
  }
  const since = query.get('sinceTime') ?? ''
  if (readsTime(since) && since !== '' && since !== 'null') {
    options.append('sinceTime', new Date(since).toISOString().replace(/\.\d+Z$/, 'Z'))
  }
  if (gates.has(STREAM_GATE)) options.append('stream', query.get('stream') ?? 'All')
  options.sort()
  return options
}

function optionFaults(query: Query, gates: ReadonlySet<string>): readonly FieldError[] {
  // The options are parsed in this order, because only the first fault is reported.
  const sinceSeconds = integerIn(query, 'sinceSeconds')
  const hasTime = readsTime(query.get('sinceTime'))
  const tailLines = integerIn(query, 'tailLines')
  const limitBytes = integerIn(query, 'limitBytes')
  const faults: FieldError[] = []
  for (const [name, value] of Object.entries({ tailLines, limitBytes, sinceSeconds })) {
    const [least, detail] = NUMBERS[name as keyof typeof NUMBERS]
    if (value !== undefined && value < least) faults.push(invalid(FieldPath.root(name), value, detail))
  }
  if (sinceSeconds !== undefined && hasTime) {
    faults.push(forbidden(FieldPath.root(''), 'at most one of `sinceTime` or `sinceSeconds` may be specified'))
  }
  if (query.has('stream') && !gates.has(STREAM_GATE)) {
    faults.push(forbidden(FieldPath.root('stream'), 'may not be specified'))
  }
  return faults
}

function integerIn(query: Query, name: string): bigint | undefined {
  const text = query.get(name)
  return text === undefined ? undefined : integerParameter(text)
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** Whether the parameter is present. Throws `ApiError` `BadRequest` unless the text is a time, `null` or empty. */
function readsTime(text: string | undefined): boolean {
  if (text === undefined || text === '' || text === 'null') return text !== undefined
  const time = quoted(text)
  if (TIME.test(text)) {
    if (!Number.isNaN(Date.parse(text))) return true
    throw new ApiError('BadRequest', `parsing time ${time}: a part is out of range`)
  }
  const message = `parsing time ${time} as "2006-01-02T15:04:05Z07:00": cannot parse ${time} as "2006"`
  throw new ApiError('BadRequest', message)
}
