// Answers 504 for a request whose deadline passes before its answer begins, whatever its handler is still waiting for
// . What is sent after that is broken off by `respond`.
import { ApiError } from '../../api/status.ts'
import { CancelledError } from '../../lib/errors.ts'
import type { Filter, Handler, HttpRequest, HttpResponse } from '../http.ts'

export function limitTime(): Filter {
  return (next) => (request) => {
    const { deadline } = request
    switch (deadline.kind) {
      case 'unreadable':
        throw new ApiError('BadRequest', `invalid timeout specified in the request URL - ${deadline.message}`)
      case 'none':
        return next(request)
      case 'after':
        return beforeAbort(next, request)
    }
  }
}

/** What the handler gives, or `CancelledError` as soon as the signal fires. */
function beforeAbort(next: Handler, request: HttpRequest): Promise<HttpResponse> {
  const { signal } = request
  return new Promise((resolve, reject) => {
    const cancel = (): void => reject(new CancelledError(signal.reason))
    if (signal.aborted) return cancel()
    signal.addEventListener('abort', cancel, { once: true })
    const run = async (): Promise<void> => {
      try {
        resolve(await next(request))
      } catch (error) {
        reject(error)
      } finally {
        signal.removeEventListener('abort', cancel)
      }
    }
    void run()
  })
}
