import { describe, expect, it } from 'vitest'
import { InvariantError } from '../../../../src/lib/errors.ts'
import { failure, judge, RpcError } from '../../../../src/kv/etcd/verdict.ts'

const OUT_OF_RANGE = 11
const INVALID_ARGUMENT = 3
const UNAVAILABLE = 14
const RESOURCE_EXHAUSTED = 8

function error(status: number, message: string): RpcError {
  return new RpcError(status, message, 'http://etcd:2379')
}

describe('what a failed call means', () => {
  it.each([
    ['a compacted revision', OUT_OF_RANGE, 'etcdserver: mvcc: required revision has been compacted', 'compacted'],
    ['a future revision', OUT_OF_RANGE, 'etcdserver: mvcc: required revision is a future revision', 'future'],
    ['a full disk', RESOURCE_EXHAUSTED, 'etcdserver: mvcc: database space exceeded', 'full'],
    ['a large request', INVALID_ARGUMENT, 'etcdserver: request is too large', 'too-large'],
    ['a larger one', RESOURCE_EXHAUSTED, 'grpc: received message larger than max (3 vs. 2)', 'too-large'],
    ['missing rights', 7, 'etcdserver: permission denied', 'denied'],
    ['a wrong password', 3, 'etcdserver: authentication failed, invalid user ID or password', 'denied'],
    ['something that is not etcd', 12, 'unknown service etcdserverpb.KV', 'unavailable'],
  ])('%s is final', (_, status, message, code) => {
    const rpc = error(status, message)
    const verdict = judge(rpc)
    expect(verdict).toEqual({ kind: 'fail', code })
    expect(failure(rpc, verdict)).toMatchObject({ code, message: `etcd at http://etcd:2379: ${message}` })
  })

  it.each([
    ['a cut connection', UNAVAILABLE, 'Connection dropped'],
    ['a time limit', 4, 'Deadline exceeded'],
    ['a time limit of etcd', UNAVAILABLE, 'etcdserver: request timed out'],
    ['a change of leader', UNAVAILABLE, 'etcdserver: leader changed'],
    ['a server that stops', UNAVAILABLE, 'etcdserver: server stopped'],
    ['a throttled connection', RESOURCE_EXHAUSTED, 'Bandwidth exhausted or memory limit exceeded'],
    ['a proxy that fails', 2, 'Received HTTP status code 502'],
  ])('%s leaves in doubt whether it was carried out', (_, status, message) => {
    expect(judge(error(status, message))).toEqual({ kind: 'again', certain: false })
  })

  it.each(['etcdserver: no leader', 'etcdserver: too many requests', 'etcdserver: rpc not supported for learner'])(
    '"%s" did nothing for certain',
    (message) => expect(judge(error(UNAVAILABLE, message))).toEqual({ kind: 'again', certain: true }),
  )

  it.each([
    [16, 'etcdserver: invalid auth token'],
    [INVALID_ARGUMENT, 'etcdserver: revision of auth store is old'],
    [INVALID_ARGUMENT, 'etcdserver: user name is empty'],
  ])('status %i, "%s" asks for a new token', (status, message) => {
    expect(judge(error(status, message))).toEqual({ kind: 'authenticate' })
  })

  it('what etcd does not take from us is a bug of ours', () => {
    const rpc = error(INVALID_ARGUMENT, 'etcdserver: key is not provided')
    expect(failure(rpc, judge(rpc))).toBeInstanceOf(InvariantError)
  })

  it('a text that is the name of an inherited property is no verdict', () => {
    expect(judge(error(UNAVAILABLE, 'constructor'))).toEqual({ kind: 'again', certain: false })
  })
})
