// GET on the log of a container: the checks before a node is asked (R-266, P-405 to P-410).
import type { FieldError } from '../api/field-error.ts'
import { forbidden, invalid } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import { parseInt64 } from '../api/selector.ts'
import { ApiError } from '../api/status.ts'
import type { HttpResponse } from '../http/http.ts'
import type { Query } from '../http/query.ts'
import { invalidError } from '../api/invalid-error.ts'
import { checkNode, chooseContainer, partIn, readTarget, textIn, unreachable } from './pod-container.ts'
import type { ResourceParts, ResourceRequest } from './resource-parts.ts'
import { viewOf } from './respond.ts'

/** The least value of each number, and how it is told. */
const NUMBERS: Readonly<Record<string, readonly [least: bigint, detail: string]>> = {
  tailLines: [0n, 'must be greater than or equal to 0'],
  limitBytes: [1n, 'must be greater than 0'],
  sinceSeconds: [1n, 'must be greater than 0'],
}
const STREAM_GATE = 'PodLogsQuerySplitStreams'

export async function handlePodLog(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, info } = request
  const name = info.name ?? ''
  viewOf(parts, request)
  const faults = optionFaults(http.query, parts.gates)
  const pod = await readTarget(parts, request, name)
  if (faults.length > 0) throw invalidError({ group: '', kind: 'PodLogOptions' }, name, faults)
  chooseContainer(pod, http.query.get('container') ?? '')
  const node = textIn(partIn(pod, 'spec'), 'nodeName')
  if (node === '') return { status: 204, headers: {}, body: { kind: 'empty' } }
  await checkNode(parts, request, node)
  throw unreachable('the log cannot be read')
}

function optionFaults(query: Query, gates: ReadonlySet<string>): readonly FieldError[] {
  const faults: FieldError[] = []
  for (const [name, [least, detail]] of Object.entries(NUMBERS)) {
    const text = query.get(name)
    if (text === undefined || text === '') continue
    const value = parseInt64(text)
    if (value === undefined) {
      throw new ApiError('BadRequest', `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
    }
    if (value < least) faults.push(invalid(FieldPath.root(name), value, detail))
  }
  if (query.has('sinceSeconds') && query.has('sinceTime')) {
    faults.push(forbidden(FieldPath.root(''), 'at most one of `sinceTime` or `sinceSeconds` may be specified'))
  }
  if (query.has('stream') && !gates.has(STREAM_GATE)) {
    faults.push(forbidden(FieldPath.root('stream'), 'may not be specified'))
  }
  return faults
}
