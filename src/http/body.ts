// Reads the whole body of a request, up to a limit. The limit holds for the announced length and for the bytes that arrive.
import { ApiError } from '../api/status.ts'
import { CancelledError } from '../lib/errors.ts'
import { GatheredBytes } from '../wire/gathered-bytes.ts'
import type { WireRequest } from '../wire/request-response.ts'
import type { RequestBody } from './http.ts'

export const MAX_BODY_BYTES = 3 * 1024 * 1024

/** The request that the body belongs to. */
export interface BodyReader {
  readonly signal: AbortSignal
  resume(): void
}

export class BoundedBody implements RequestBody {
  length = 0
  onRead: ((bytes: Buffer) => void) | undefined
  readonly #request: WireRequest
  readonly #reader: BodyReader
  #again: Buffer | undefined

  constructor(request: WireRequest, reader: BodyReader) {
    this.#request = request
    this.#reader = reader
  }

  read(): Promise<Buffer> {
    const again = this.#again
    this.#again = undefined
    if (again !== undefined) return Promise.resolve(again)
    return readBody(this.#request, this.#reader.signal).then((bytes) => {
      this.#reader.resume()
      this.length = bytes.length
      this.onRead?.(bytes)
      return bytes
    })
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
