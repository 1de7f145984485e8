// Answers that are not API objects.
import type { HttpResponse, ResponseHeaders } from './http.ts'

const PLAIN = 'text/plain; charset=utf-8'

/** For answers that are not pages: a browser that opens one runs, loads and frames nothing, and guesses no content type. */
export const SANDBOXED: ResponseHeaders = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

/** Text that a browser must not take for anything else. */
export function plainText(status: number, text: string, headers: ResponseHeaders = {}): HttpResponse {
  return {
    status,
    headers: { 'content-type': PLAIN, 'x-content-type-options': 'nosniff', ...headers },
    body: { kind: 'bytes', bytes: Buffer.from(text) },
  }
}

export function bytesOf(contentType: string, bytes: Buffer, headers: ResponseHeaders = {}): HttpResponse {
  return { status: 200, headers: { 'content-type': contentType, ...headers }, body: { kind: 'bytes', bytes } }
}

export function pageNotFound(): HttpResponse {
  return plainText(404, '404 page not found\n')
}

export function tooManyRequests(retryAfterSeconds: number): HttpResponse {
  const text = 'Too many requests, please try again later.\n'
  return plainText(429, text, { 'retry-after': String(retryAfterSeconds) })
}
