import { describe, expect, it } from 'vitest'
import { deadlineOf } from '../../../src/http/deadline.ts'
import { wantsPretty } from '../../../src/http/pretty.ts'
import { fakeRequest } from './fake-request.ts'

const rows: readonly (readonly [string, unknown])[] = [
  ['GET /api/v1/pods', { kind: 'after', milliseconds: 60_000, early: false }],
  ['GET /api/v1/pods?timeout=', { kind: 'after', milliseconds: 60_000, early: false }],
  ['GET /api/v1/pods?timeout=1s', { kind: 'after', milliseconds: 1000, early: true }],
  ['GET /api/v1/pods?timeout=0s', { kind: 'after', milliseconds: 60_000, early: false }],
  ['GET /api/v1/pods?timeout=-5s', { kind: 'after', milliseconds: 60_000, early: false }],
  ['GET /api/v1/pods?timeout=2h', { kind: 'after', milliseconds: 60_000, early: false }],
  ['GET /api/v1/pods?timeout=1ns', { kind: 'after', milliseconds: 1e-6, early: true }],
  ['GET /healthz?timeout=abc', { kind: 'unreadable', message: 'time: invalid duration "abc"' }],
  ['GET /api/v1/pods?timeout=5', { kind: 'unreadable', message: 'time: missing unit in duration "5"' }],
  ['GET /api/v1/pods?watch&timeout=abc', { kind: 'none' }],
  ['GET /api/v1/namespaces/n/pods/p/log', { kind: 'none' }],
  ['POST /api/v1/namespaces/n/pods/p/exec', { kind: 'none' }],
  ['GET /api/v1/namespaces/n/services/s/proxy/x', { kind: 'none' }],
]

describe('how long a request may take (R-024, R-025, P-225 to P-227)', () => {
  it.each(rows)('%s', (line, expected) => {
    const { info, query } = fakeRequest(line)
    expect(deadlineOf(info, query, 60_000)).toEqual(expected)
  })
})

const pretty: readonly (readonly [string, Record<string, string>, boolean])[] = [
  ['GET /x', {}, false],
  ['GET /x?pretty', {}, true],
  ['GET /x?pretty=1', {}, true],
  ['GET /x?pretty=T', {}, true],
  ['GET /x?pretty=false', { 'user-agent': 'curl/8' }, false],
  ['GET /x?pretty=certainly', {}, false],
  ['GET /x', { 'user-agent': 'curl/8.5.0' }, true],
  ['GET /x', { 'user-agent': 'Wget/1.21' }, true],
  ['GET /x', { 'user-agent': 'Mozilla/5.0 (X11)' }, true],
  ['GET /x', { 'user-agent': 'Mozilla/4.0' }, false],
  ['GET /x', { 'user-agent': 'my-curl/8' }, false],
  ['GET /x', { accept: 'application/json;pretty=1' }, true],
  ['GET /x', { accept: 'application/json;pretty=0' }, false],
]

describe('indented output (R-245, D14)', () => {
  it.each(pretty)('%s %o: %s', (line, headers, expected) => {
    expect(wantsPretty(fakeRequest(line, { headers }))).toBe(expected)
  })
})
