// GET on the log of a container: the checks before a node is asked (R-266, P-405 to P-410).
import { type FieldError, forbidden, invalid, quoted } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import { integerParameter } from '../api/list-query.ts'
import { mapOrEmpty, textOrEmpty } from '../api/members.ts'
import { ApiError } from '../api/status.ts'
import type { HttpResponse } from '../http/http.ts'
import type { Query } from '../http/query.ts'
import { invalidError } from '../api/invalid-error.ts'
import { checkNode, chooseContainer, readTarget, unreachable } from './pod-container.ts'
import type { ResourceParts, ResourceRequest } from './resource-parts.ts'
import { checkTextAccept } from './respond.ts'

/** The lowest value of each, and the message for lower ones. */
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
  chooseContainer(pod, http.query.get('container') ?? '')
  const node = textOrEmpty(mapOrEmpty(pod, 'spec'), 'nodeName')
  if (node === '') return { status: 204, headers: {}, body: { kind: 'empty' } }
  await checkNode(parts, request, node)
  throw unreachable('the log cannot be read')
}

function optionFaults(query: Query, gates: ReadonlySet<string>): readonly FieldError[] {
  // Parsed in this order: the first fault is reported.
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

/** Whether there is one. Throws `ApiError` `BadRequest`. */
function readsTime(text: string | undefined): boolean {
  if (text === undefined || text === '' || text === 'null' || TIME.test(text)) return text !== undefined
  const time = quoted(text)
  const message = `parsing time ${time} as "2006-01-02T15:04:05Z07:00": cannot parse ${time} as "2006"`
  throw new ApiError('BadRequest', message)
}
