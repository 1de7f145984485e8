// The answers to requests that a fault makes fail. They equal the server's answers to real failures with the same code.
import { decodeContinue } from '../../api/continue-token.ts'
import type { ApiError } from '../../api/status.ts'
import { closingError, faultError, timeoutAnswer } from '../../http/errors.ts'
import type { HttpRequest, HttpResponse } from '../../http/http.ts'
import { tooManyRequests } from '../../http/responses.ts'
import { KvError } from '../../kv/kv.ts'
import { alreadyExistsError, conflictError, noUniqueNameError } from '../../registry/errors.ts'
import { tooOldResourceVersion, translate, watchExpired } from '../../store/errors.ts'
import type { Failure, FailureStatus, FaultVerb } from './fault-spec.ts'
import type { Asked } from './matching.ts'

/** Failures that only some requests can have. */
export const FAILING_VERBS: Readonly<Partial<Record<FailureStatus, readonly FaultVerb[]>>> = {
  409: ['create', 'update', 'patch', 'delete'],
  410: ['list', 'watch'],
}

/** The generated end of a name that already exists. */
const TAKEN = 'x7k2p'

/** Returns the answer, or throws it if it is an error of the API. */
export function failRequest(
  { status, retryAfterSeconds = 1 }: Failure,
  request: HttpRequest,
  asked: Asked,
): HttpResponse {
  switch (status) {
    case 409:
      throw conflict(asked)
    case 410:
      throw expired(request, asked)
    case 429:
      return tooManyRequests(retryAfterSeconds)
    case 500:
      throw faultError(request.auditId)
    case 503:
      request.responder.addHeaders({ 'retry-after': String(retryAfterSeconds), 'x-content-type-options': 'nosniff' })
      throw closingError()
    case 504:
      return timeoutAnswer()
  }
}

function conflict({ info, name = '', generateName }: Asked): ApiError {
  if (info.verb !== 'create') return conflictError(info, name)
  return name === '' && generateName !== undefined
    ? noUniqueNameError(alreadyExistsError(info, `${generateName}${TAKEN}`))
    : alreadyExistsError(info, name)
}

function expired({ query }: HttpRequest, { info }: Asked): unknown {
  if (info.verb === 'watch') {
    const from = Number(query.get('resourceVersion') ?? '')
    return from > 0 ? tooOldResourceVersion(from, from + 1) : watchExpired()
  }
  const token = query.get('continue') ?? ''
  const position = token === '' ? undefined : decodeContinue(token)
  return translate(new KvError('compacted', 'injected'), { verb: 'list', resource: info, position })
}
