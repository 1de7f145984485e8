// API priority and fairness: takes the seats of a request, queues it or rejects it; exec, logs and other streams pass (P-214). A
// watch gives its seats back when it has begun, everything else when its answer is out.
import type { Entry, FlowControl } from '../../flow/flow.ts'
import { type MaybePromise, settle, whenKnown } from '../../lib/maybe-promise.ts'
import { isLongRunning, isWatch } from '../deadline.ts'
import type { CallerFilter, HttpRequest, HttpResponse } from '../http.ts'
import { isTransaction } from '../request-info.ts'
import { tooManyRequests } from '../responses.ts'

/** A watch has no deadline, and waits no longer than a short request would by default (P-215). */
const WATCH_WAIT_MS = 15_000
const LONGEST_WAIT_MS = 60_000

export function controlFlow(control: FlowControl): CallerFilter {
  return (next) => (request, caller) => {
    const { path, info, query, signal } = request
    if (isLongRunning(info) && !isWatch(info)) return next(request, caller)
    const asked = { user: caller.user, path, info, query, signal }
    const entering = control.enter(
      isTransaction(info) ? { ...asked, operations: operationsIn(request) } : asked,
      waitOf(request),
    )
    return whenKnown(entering, (entry) => go(entry, () => next(request, caller), request))
  }
}

function go(entry: Entry, next: () => MaybePromise<HttpResponse>, request: HttpRequest): MaybePromise<HttpResponse> {
  request.responder.addHeaders(entry.headers)
  if (entry.kind === 'rejected') return tooManyRequests(entry.retryAfterSeconds)
  return settle(
    next,
    (response) => {
      // An answer in pieces is read from memory while it is sent.
      if (response.body.kind === 'pieces') request.responder.whenOver(() => entry.leave())
      else entry.leave()
      return response
    },
    (error) => {
      entry.leave()
      throw error
    },
  )
}

/** The approximate number of operations in the body of a transaction, which has not been read yet. */
function operationsIn({ headers }: HttpRequest): number {
  const length = Number(headers['content-length'])
  return Number.isFinite(length) ? Math.ceil(length / OPERATION_BYTES) : Infinity
}

/** The size of a small operation. */
const OPERATION_BYTES = 256

/** A quarter of the request's time (P-215). */
function waitOf({ deadline }: HttpRequest): number {
  return deadline.kind === 'after' ? Math.min(deadline.milliseconds / 4, LONGEST_WAIT_MS) : WATCH_WAIT_MS
}
