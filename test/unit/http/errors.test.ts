import { describe, expect, it } from 'vitest'
import { SILENT_LOG } from '../../../src/lib/log.ts'
import { ApiError } from '../../../src/api/status.ts'
import { ClientGoneError, DeadlineError, ServerClosingError } from '../../../src/http/abort-reasons.ts'
import { answerError, statusWriter } from '../../../src/http/errors.ts'
import { CancelledError } from '../../../src/lib/errors.ts'
import type { LogFields } from '../../../src/lib/log.ts'
import { bodyText, fakeRequest } from './fake-request.ts'

const statusResponse = statusWriter((status, encoding) => Buffer.from(`${encoding} ${status.code}`), false)
const quiet = { log: SILENT_LOG, writeStatus: statusResponse }

const missing = new ApiError('NotFound', 'pods "nope" not found', { details: { name: 'nope', kind: 'pods' } })

describe('errors on the wire', () => {
  it('are a Status with its keys in order, on one line (R-001, W-001)', () => {
    const response = statusResponse(missing, fakeRequest('GET /api/v1/namespaces/default/pods/nope'))
    expect(response.status).toBe(404)
    expect(response.headers).toEqual({ 'content-type': 'application/json' })
    expect(bodyText(response)).toBe(
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"pods \\"nope\\" not found",' +
        '"reason":"NotFound","details":{"name":"nope","kind":"pods"},"code":404}\n',
    )
  })

  it('are indented for people, without a final newline (R-009)', () => {
    const text = bodyText(statusResponse(missing, fakeRequest('GET /x', { headers: { 'user-agent': 'curl/8' } })))
    expect(text.split('\n').length).toBeGreaterThan(5)
    expect(text.endsWith('}')).toBe(true)
  })

  it.each([
    [undefined, 'application/json', '{"kind":"Status"'],
    ['application/yaml', 'application/yaml', 'yaml 404'],
    ['application/vnd.kubernetes.protobuf', 'application/vnd.kubernetes.protobuf', 'protobuf 404'],
    ['application/vnd.svc.protobuf, */*', 'application/vnd.svc.protobuf', 'protobuf 404'],
    ['application/json;as=Table;g=meta.k8s.io;v=v1', 'application/json', '{\n  "kind"'],
    ['application/json;as=Table;g=meta.k8s.io;v=v1, application/json', 'application/json', '{"kind":"Status"'],
    ['text/html', 'application/json', '{\n  "kind"'],
  ])('for Accept %s (R-008)', (accept, contentType, start) => {
    const headers = accept === undefined ? {} : { accept }
    const response = statusResponse(missing, fakeRequest('GET /x', { headers }))
    expect(response.status).toBe(404)
    expect(response.headers['content-type']).toBe(contentType)
    expect(bodyText(response).startsWith(start)).toBe(true)
  })

  it('escape what a browser could take for markup (R-001)', () => {
    const error = new ApiError('BadRequest', '<a> & \u2028')
    expect(bodyText(statusResponse(error, fakeRequest('GET /x')))).toContain('"\\u003ca\\u003e \\u0026 \\u2028"')
  })

  it('repeat retryAfterSeconds as a header (R-010, W-015)', () => {
    const error = new ApiError('Timeout', 'later', { details: { retryAfterSeconds: 2 } })
    expect(statusResponse(error, fakeRequest('GET /x')).headers['retry-after']).toBe('2')
  })

  it('must not be sniffed where something was forbidden (R-016, R-278)', () => {
    const response = statusResponse(new ApiError('Forbidden', 'no'), fakeRequest('GET /x'))
    expect(response.headers['x-content-type-options']).toBe('nosniff')
  })

  it('of our own are logged with their cause and answered without it (R-026, P-003, D31)', () => {
    const logged: LogFields[] = []
    const log = { ...SILENT_LOG, error: (fields: LogFields) => void logged.push(fields) }
    const fault = new TypeError('secret is undefined')
    const response = answerError(fault, fakeRequest('GET /x'), { ...quiet, log })
    expect(response?.status).toBe(500)
    expect(bodyText(response!)).not.toContain('secret')
    expect(bodyText(response!)).toContain('an-audit-id')
    expect(logged).toEqual([expect.objectContaining({ err: fault, auditId: 'an-audit-id' })])
  })

  it.each([
    ['a passed deadline', new DeadlineError(), 504],
    ['a stopping server', new ServerClosingError(), 503],
    ['a client that is gone', new ClientGoneError(), undefined],
  ])('for %s', (_name, reason, status) => {
    const signal = AbortSignal.abort(reason)
    const response = answerError(new CancelledError(reason), fakeRequest('GET /x', { signal }), quiet)
    expect(response?.status).toBe(status)
  })

  it('of a cancellation that nobody asked for are ours', () => {
    expect(answerError(new CancelledError(), fakeRequest('GET /x'), quiet)?.status).toBe(500)
  })
})
