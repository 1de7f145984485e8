// Reads a request's body, whole and bounded. The bound holds for what arrives, whatever the client announced.
import { ApiError } from '../api/status.ts'
import { CancelledError } from '../lib/errors.ts'
import type { RawRequest } from './raw.ts'

export const MAX_BODY_BYTES = 3 * 1024 * 1024

function tooLargeError(limitBytes: number): ApiError {
  return new ApiError('RequestEntityTooLarge', `Request entity too large: limit is ${limitBytes}`)
}

export function readBody(request: RawRequest, limitBytes: number, signal: AbortSignal): Promise<Buffer> {
  const { headers, body } = request
  const announced = Number(headers['content-length'] ?? 0)
  if (announced > limitBytes) return Promise.reject(tooLargeError(limitBytes))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const stop = (): void => {
      body.mute()
      signal.removeEventListener('abort', cancel)
    }
    const onError = (cause: unknown): void => {
      stop()
      reject(cause instanceof ApiError ? cause : new CancelledError(cause))
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size > limitBytes) onError(tooLargeError(limitBytes))
      else chunks.push(chunk)
    }
    const onEnd = (): void => {
      stop()
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size))
    }
    const cancel = (): void => onError(signal.reason)
    if (signal.aborted) return cancel()
    signal.addEventListener('abort', cancel, { once: true })
    body.listen({ onData, onEnd, onError })
  })
}
