import { join } from 'node:path'
import * as fc from 'fast-check'
import protobuf from 'protobufjs'
import { beforeAll, describe, expect, it } from 'vitest'
import { ALARM, DEFRAGMENT, STATUS } from '../../../../src/kv/etcd/maintenance-messages.ts'
import {
  AUTHENTICATE,
  COMPACT,
  COMPARE_MOD,
  LEASE_GRANT,
  LEASE_TIME_TO_LIVE,
  type Method,
  RANGE,
  TXN,
  WATCH,
} from '../../../../src/kv/etcd/messages.ts'
import { ProtobufError } from '../../../../src/wire/protobuf-error.ts'
import { anyCharacter } from '../../../fakes/any-character.ts'

const PROTO = join(import.meta.dirname, '../../../../proto/etcd/rpc.proto')

describe('etcd’s messages', () => {
  let described: protobuf.Root

  beforeAll(async () => {
    described = await protobuf.load(PROTO)
  })

  function bytes(type: string, message: object): Buffer {
    return Buffer.from(described.lookupType(type).encode(message).finish())
  }

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

  const text = fc.string({ unit: anyCharacter, maxLength: 200 })
  const number = fc.maxSafeNat()
  const value = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
  const range = fc.record(
    { key: text, rangeEnd: text, limit: number, revision: number, serializable: fc.boolean() },
    { requiredKeys: ['key'] },
  )
  const op = fc.oneof(
    fc.record({ range }),
    fc.record({ put: fc.record({ key: text, value, lease: number }) }),
    fc.record({ deleteRange: fc.record({ key: text }) }),
  )
  const condition = fc.record({ target: fc.constant(COMPARE_MOD), key: text, modRevision: number })
  const create = { key: text, rangeEnd: text, startRevision: number, prevKv: fc.boolean(), fragment: fc.boolean() }
  const requests: Readonly<Record<string, readonly [Method<never, unknown>, fc.Arbitrary<object>]>> = {
    RangeRequest: [RANGE, range],
    TxnRequest: [TXN, fc.record({ compare: fc.array(condition), success: fc.array(op), failure: fc.array(op) })],
    CompactionRequest: [COMPACT, fc.record({ revision: number, physical: fc.boolean() })],
    WatchRequest: [
      WATCH,
      fc.oneof(fc.record({ createRequest: fc.record(create) }), fc.constant({ progressRequest: {} })),
    ],
    LeaseGrantRequest: [LEASE_GRANT, fc.record({ ttl: number, id: number })],
    LeaseTimeToLiveRequest: [LEASE_TIME_TO_LIVE, fc.record({ id: number })],
    StatusRequest: [STATUS, fc.constant({})],
    DefragmentRequest: [DEFRAGMENT, fc.constant({})],
    AlarmRequest: [ALARM, fc.record({ action: fc.constantFrom(0, 2), memberId: number, alarm: fc.nat(2) })],
    AuthenticateRequest: [AUTHENTICATE, fc.record({ name: text, password: text })],
  }

  it.each(Object.entries(requests))('%s is written as another implementation reads it', (name, [method, arbitrary]) => {
    const type = described.lookupType(name)
    const plain = (bytes: Buffer): object => type.toObject(type.decode(bytes), { longs: Number, defaults: true })
    fc.assert(
      fc.property(arbitrary, fc.nat(9), (request, room) => {
        const written = method.serialize(request as never, room)
        expect(plain(written.subarray(room))).toEqual(plain(bytes(name, request)))
      }),
    )
  })

  const header = fc.record({ revision: number, raftTerm: number })
  const memberHeader = fc.record({ revision: number, raftTerm: number, memberId: number })
  const keyValue = fc.record({ key: text, value, modRevision: number, createRevision: number, lease: number })
  const kvs = fc.array(keyValue, { maxLength: 5 })
  const rangeResponse = fc.record({ header, kvs, more: fc.boolean(), count: number })
  const event = fc.record({ type: fc.constantFrom(0, 1), kv: keyValue, prevKv: fc.option(keyValue) })
  const flags = { created: fc.boolean(), canceled: fc.boolean(), fragment: fc.boolean() }
  const events = fc.array(event, { maxLength: 5 })
  const responses = fc.array(fc.record({ range: rangeResponse }), { maxLength: 3 })
  const answers: Readonly<Record<string, readonly [Method<never, unknown>, fc.Arbitrary<object>]>> = {
    RangeResponse: [RANGE, rangeResponse],
    TxnResponse: [TXN, fc.record({ header, succeeded: fc.boolean(), responses })],
    WatchResponse: [WATCH, fc.record({ header, ...flags, compactRevision: number, cancelReason: text, events })],
    LeaseTimeToLiveResponse: [LEASE_TIME_TO_LIVE, fc.record({ header, ttl: fc.maxSafeInteger() })],
    StatusResponse: [
      STATUS,
      fc.record({
        header: memberHeader,
        version: text,
        dbSize: number,
        leader: number,
        errors: fc.array(text),
        dbSizeInUse: number,
        isLearner: fc.boolean(),
        dbSizeQuota: number,
      }),
    ],
    DefragmentResponse: [DEFRAGMENT, fc.record({ header })],
    AlarmResponse: [
      ALARM,
      fc.record({ header: memberHeader, alarms: fc.array(fc.record({ memberId: number, alarm: fc.nat(2) })) }),
    ],
    CompactionResponse: [COMPACT, fc.record({ header })],
    AuthenticateResponse: [AUTHENTICATE, fc.record({ token: text })],
  }

  it.each(Object.entries(answers))('%s is read as another implementation writes it', (name, [method, arbitrary]) => {
    fc.assert(
      fc.property(arbitrary, (answer) => {
        expect(method.deserialize(bytes(name, answer))).toEqual(answer)
      }),
    )
  })

  it('what is cut off anywhere, or is anything else, is read or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (garbage) => {
        try {
          WATCH.deserialize(Buffer.from(garbage))
        } catch (error) {
          expect(error).toBeInstanceOf(ProtobufError)
        }
      }),
    )
  })

  it.each([0, 1, 127, 128, 2 ** 31, 2 ** 32 + 1, 2 ** 40, Number.MAX_SAFE_INTEGER])('%d is read exactly', (count) => {
    expect(RANGE.deserialize(bytes('RangeResponse', { header: { revision: count }, count }))).toMatchObject(
      count === 0 ? { count: 0 } : { header: { revision: count }, count },
    )
  })

  it('a number that would have to be rounded is refused', () => {
    const tooLarge = Buffer.from([0x20, ...Array.from({ length: 8 }, () => 0xff), 0x7f])
    expect(() => RANGE.deserialize(tooLarge)).toThrow(ProtobufError)
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
    expect(() => RANGE.deserialize(broken)).toThrow(ProtobufError)
  })
})
