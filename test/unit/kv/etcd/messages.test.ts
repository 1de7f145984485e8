import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import protobuf from 'protobufjs'
import { beforeAll, describe, expect, it } from 'vitest'
import { compile, GENERATED } from '../../../../proto/etcd/compile.ts'
import { COMPARE_MOD, RANGE, STATUS, TXN, WATCH } from '../../../../src/kv/etcd/messages.ts'

const PROTO = join(import.meta.dirname, '../../../../proto/etcd/rpc.proto')

describe('etcd’s messages', () => {
  let described: protobuf.Root

  beforeAll(async () => {
    described = await protobuf.load(PROTO)
  })

  function bytes(type: string, message: object): Buffer {
    return Buffer.from(described.lookupType(type).encode(message).finish())
  }

  it('the generated code is that of the description', async () => {
    expect(await readFile(GENERATED, 'utf8')).toBe(await compile())
  })

  it('a request says what it was given', () => {
    const request = {
      compare: [{ target: COMPARE_MOD, key: 'a', modRevision: 2 ** 40 + 7 }],
      success: [{ put: { key: 'a', value: Buffer.from([0, 255]), lease: 2 ** 47 - 1 } }],
      failure: [{ range: { key: 'é' } }],
    } as const
    const type = described.lookupType('TxnRequest')
    const read = type.toObject(type.decode(TXN.serialize(request)), { longs: Number })
    expect(read).toMatchObject({ ...request, success: [{ put: { key: 'a', lease: 2 ** 47 - 1 } }] })
  })

  it.each([0, 1, 127, 128, 2 ** 31, 2 ** 32 + 1, 2 ** 40, Number.MAX_SAFE_INTEGER])('%d is read exactly', (count) => {
    expect(RANGE.deserialize(bytes('RangeResponse', { header: { revision: count }, count }))).toMatchObject(
      count === 0 ? { count: 0 } : { header: { revision: count }, count },
    )
  })

  it('a number that would have to be rounded is refused', () => {
    const tooLarge = Buffer.from([0x20, ...Array.from({ length: 8 }, () => 0xff), 0x7f])
    expect(() => RANGE.deserialize(tooLarge)).toThrow(RangeError)
  })

  it('what is not in the description is passed over', () => {
    const header = Buffer.from([0x0a, 13, 0x08, ...Array.from({ length: 9 }, () => 0xff), 1, 0x18, 7])
    const response = RANGE.deserialize(header)
    expect(response.header.revision).toBe(7)
    expect(response).not.toHaveProperty('$unknowns')
  })

  it('what is absent reads as zero', () => {
    const response = WATCH.deserialize(Buffer.alloc(0))
    expect(response.compactRevision).toBe(0)
    expect(response.fragment).toBe(false)
    expect(response.events).toEqual([])
    expect(STATUS.deserialize(Buffer.alloc(0)).dbSize).toBe(0)
  })

  it.each([
    ['half a message', Buffer.from([0x0a, 40, 0x18])],
    ['half a number', Buffer.from([0x20, 0xff])],
  ])('%s is refused', (_, broken) => {
    expect(() => RANGE.deserialize(broken)).toThrow(RangeError)
  })
})
