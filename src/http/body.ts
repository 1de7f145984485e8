// Reads a request's body, whole and bounded. The bound holds for what arrives, whatever the client announced. A large body is handed
// out when it is its turn.
import { ApiError } from '../api/status.ts'
import { CancelledError } from '../lib/errors.ts'
import { GatheredBytes } from '../wire/gathered-bytes.ts'
import type { WireRequest } from '../wire/request-response.ts'
import type { RequestBody } from './http.ts'
import type { LargeBodies } from './large-bodies.ts'

export const MAX_BODY_BYTES = 3 * 1024 * 1024

export class BoundedBody implements RequestBody {
  length = 0
  onRead: ((bytes: Buffer) => void) | undefined
  readonly #request: WireRequest
  readonly #signal: AbortSignal
  readonly #largeBodies: LargeBodies
  #hasEntered = false
  #isReleased = false
  #again: Buffer | undefined

  constructor(request: WireRequest, signal: AbortSignal, largeBodies: LargeBodies) {
    this.#request = request
    this.#signal = signal
    this.#largeBodies = largeBodies
  }

  read(): Promise<Buffer> {
    const again = this.#again
    this.#again = undefined
    if (again !== undefined) return Promise.resolve(again)
    return readBody(this.#request, this.#signal).then((bytes) => {
      this.length = bytes.length
      this.onRead?.(bytes)
      const turn = this.#largeBodies.enter(bytes.length, this.#signal)
      this.#hasEntered = turn === undefined
      if (turn === undefined) return bytes
      return turn.then(() => {
        this.#hasEntered = true
        // Its time was up meanwhile, and that was answered.
        if (this.#isReleased) this.release()
        return bytes
      })
    })
  }

  release(): void {
    this.#isReleased = true
    if (this.#hasEntered) this.#largeBodies.leave(this.length)
    this.#hasEntered = false
  }

  putBack(bytes: Buffer): void {
    this.#again = bytes
  }
}

function tooLargeError(): ApiError {
  return new ApiError('RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BODY_BYTES}`)
}

function readBody({ headers, body }: WireRequest, signal: AbortSignal): Promise<Buffer> {
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) return Promise.reject(tooLargeError())
  return new Promise((resolve, reject) => {
    const gathered = new GatheredBytes()
    const stop = (): void => {
      body.mute()
      signal.removeEventListener('abort', cancel)
    }
    const onError = (cause: unknown): void => {
      stop()
      reject(cause instanceof ApiError ? cause : new CancelledError(cause))
    }
    const onData = (chunk: Buffer): void => {
      if (gathered.length + chunk.length > MAX_BODY_BYTES) onError(tooLargeError())
      else gathered.add(chunk)
    }
    const onEnd = (): void => {
      stop()
      resolve(gathered.take())
    }
    const cancel = (): void => onError(signal.reason)
    if (signal.aborted) return cancel()
    signal.addEventListener('abort', cancel, { once: true })
    body.listen({ onData, onEnd, onError })
  })
}
