import { describe, expect, it } from 'vitest'
import { RequestOp, type TxnRequest } from '../../../../src/kv/gen/rpc.ts'
import { decode, encode, type Given } from '../../../../src/kv/rpc.ts'
import { checkTxn } from '../../../../src/kv/serve/txn-check.ts'
import { processorMilliseconds } from '../../../rigs/processor-time.ts'

const op = (given: Given<RequestOp>): RequestOp => decode(RequestOp, encode(RequestOp, given))
const put = (key: string): RequestOp => op({ put: { key } })
const remove = (key: string, rangeEnd = ''): RequestOp => op({ deleteRange: { key, rangeEnd } })
const txn = (success: readonly RequestOp[], failure: readonly RequestOp[] = []): TxnRequest => ({
  compare: [],
  success,
  failure,
})
const inner = (success: readonly RequestOp[], failure: readonly RequestOp[] = []): RequestOp =>
  op({ txn: txn(success, failure) })

const DUPLICATE = 'etcdserver: duplicate key given in txn request'

describe('a transaction', () => {
  it.each([
    ['puts different keys', txn([put('a'), put('b')], [put('a')])],
    ['deletes a key twice', txn([remove('a'), remove('a', 'c')])],
    ['puts beside what it deletes', txn([remove('b', 'd'), put('a'), put('d')])],
    ['puts a key on either way of another', txn([inner([put('a')], [put('a')])])],
    ['puts, and deletes to the last key', txn([remove('a', '\0'), put('b')])],
  ])('may be one that %s', (_, request) => {
    expect(() => checkTxn(request)).not.toThrow()
  })

  it.each([
    ['puts a key twice', txn([put('a'), put('a')])],
    ['puts what it deletes', txn([put('c'), remove('a', 'b'), remove('b', 'd')])],
    ['puts a key that one within it puts', txn([inner([], [put('a')]), put('a')])],
    ['puts a key that one within it deletes', txn([inner([remove('a', 'c')]), put('b')])],
    ['deletes a key that one within it puts', txn([remove('b'), inner([put('b')])])],
    ['has two within it that put a key', txn([inner([put('a')]), inner([put('a')])])],
    ['does so only if it fails', txn([], [put('ä'), put('ä')])],
  ])('may not be one that %s', (_, request) => {
    expect(() => checkTxn(request)).toThrow(DUPLICATE)
  })

  it('of very many deletes and puts is looked at in no time', () => {
    const nested = (depth: number): RequestOp[] =>
      Array.from({ length: 60 }, (_, i) => (depth === 0 ? put(`k${i}`) : remove(`x${depth}-${i}`, `x${depth}-${i}z`)))
    const request = txn([...nested(1), inner([...nested(2).slice(0, 30), ...nested(0).slice(0, 30)])])
    const check = (): void => {
      for (let i = 0; i < 100; i++) checkTxn(request)
    }
    expect(processorMilliseconds(check)).toBeLessThan(2000)
  })
})
