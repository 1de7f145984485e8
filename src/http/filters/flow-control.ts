// API priority and fairness: a request takes its seats, waits in a queue, or is rejected. Exec, logs and other streams pass (P-214). A
// request gives its seats back when its answer has been made, and an answer in pieces when it has been sent. A watch gives them back when
// it has begun.
import type { Entry, FlowControl } from '../../flow/flow.ts'
import { type MaybePromise, settle, whenKnown } from '../../lib/maybe-promise.ts'
import { isLongRunning, isWatch } from '../deadline.ts'
import type { CallerFilter, HttpRequest, HttpResponse } from '../http.ts'
import { isTransaction } from '../request-info.ts'
import { tooManyRequests } from '../responses.ts'

/** A watch has no deadline. It waits as long as a short request with the default time limit (P-215). */
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

/** The longest wait: a quarter of the request's time limit, but at most a minute (P-215). */
function waitOf({ deadline }: HttpRequest): number {
  return deadline.kind === 'after' ? Math.min(deadline.milliseconds / 4, LONGEST_WAIT_MS) : WATCH_WAIT_MS
}
