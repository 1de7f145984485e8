// Functions that run in the process of the server, for tests. Such a function can block the whole server. Functions of `--extensions` have
// processes of their own.
import { parseJsonText } from '../api/json-text.ts'
import { CancelledError, throwIfCancelled } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { DEADLINE_TEXT, OutgoingCallError } from '../outgoing/failure.ts'
import type { ReviewFunction } from '../outgoing/webhook-client.ts'
import type { Answer } from './answers.ts'
import type { Extensible } from './extensions.ts'
import { type ExtensionPoints, extensible, nameOf, register } from './registration.ts'

/** The message that clients get if a function throws. */
export const FAULT_TEXT = 'the function failed; the log of the server has the reason'

/** Adds functions that run in this process. */
export function extensibleHere(points: ExtensionPoints, log: Log): Extensible {
  return extensible((description, answer) => {
    const name = nameOf(description)
    const onFault = (error: unknown): void => log.error({ err: error, function: name }, 'extension function failed')
    return register(points, description, answeredHere(answer, onFault))
  })
}

export function answeredHere(answer: Answer, onFault: (error: unknown) => void): ReviewFunction {
  return async (review, timeoutMs, signal) => {
    throwIfCancelled(signal)
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const timer = setTimeout(() => reject(new OutgoingCallError('deadline', DEADLINE_TEXT)), timeoutMs)
    const onAbort = (): void => reject(new CancelledError(signal.reason))
    signal.addEventListener('abort', onAbort, { once: true })
    answer(review).then(resolve, (error: unknown) => {
      onFault(error)
      reject(new OutgoingCallError('broken', FAULT_TEXT, { cause: error }))
    })
    try {
      return parseJsonText(await promise)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }
}
