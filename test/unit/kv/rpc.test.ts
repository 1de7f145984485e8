import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import protobuf from 'protobufjs'
import { describe, expect, it } from 'vitest'
import * as rpc from '../../../src/kv/gen/rpc.ts'
import { decode, encode, type Message, type Rpc } from '../../../src/kv/rpc.ts'
import { ProtobufError } from '../../../src/wire/protobuf-error.ts'
import { anyCharacter } from '../../corpora/any-character.ts'

const OURS = protobuf.loadSync(join(import.meta.dirname, '../../../proto/etcd/rpc.proto')).resolveAll()
const PACKAGE = OURS.lookup('etcdserverpb') as protobuf.Namespace
const TYPES = PACKAGE.nestedArray.filter((one) => one instanceof protobuf.Type)
const SERVICES = PACKAGE.nestedArray.filter((one) => one instanceof protobuf.Service)

/** etcd's own descriptions, as another client brings them. */
const ETCDS = new protobuf.Root()
const folder = join(dirname(createRequire(import.meta.url).resolve('etcd3/package.json')), 'proto')
ETCDS.resolvePath = (_origin, target) => join(folder, target)
ETCDS.loadSync('rpc.proto').resolveAll()

const OTHER_NAMES: Readonly<Record<string, string>> = {
  Header: 'ResponseHeader',
  KeyValue: 'mvccpb.KeyValue',
  Event: 'mvccpb.Event',
}
/** Newer than the descriptions of the other client, or not of its API. */
const NOT_IN_THE_OTHER: ReadonlySet<string> = new Set([
  'RangeStreamResponse',
  'HashKVRequest',
  'HashKVResponse',
  'LeaseStatus',
  'LeaseLeasesRequest',
  'LeaseLeasesResponse',
  'StoredLease',
  'WatchProgressRequest',
])

function messageOf(name: string): Message<object> {
  return (rpc as unknown as Readonly<Record<string, Message<object>>>)[name]!
}

const text = fc.string({ unit: anyCharacter, maxLength: 200 })
const bytes = fc.uint8Array({ maxLength: 300 }).map((some) => Buffer.from(some))

function nameOf(field: protobuf.Field): string {
  return field.name === 'modRevision' && field.parent?.name === 'KeyValue' ? 'revision' : field.name
}

function formOf({ options }: protobuf.Field): unknown {
  return options?.['(form)']
}

function valueOf(field: protobuf.Field, depth: number): fc.Arbitrary<unknown> {
  const { resolvedType, type } = field
  if (resolvedType instanceof protobuf.Type) return anyOf(resolvedType, depth - 1)
  if (resolvedType instanceof protobuf.Enum) return fc.constantFrom(...Object.values(resolvedType.values))
  if (type === 'bytes') return bytes
  if (type === 'string') return text
  if (type === 'bool') return fc.boolean()
  if (type === 'uint32') return fc.nat(2 ** 31 - 1)
  const isId = ['ID', 'WRITTEN'].includes(String(formOf(field)))
  return isId ? fc.maxSafeNat().map(BigInt) : fc.maxSafeNat()
}

/** A message with some of its fields; of those of a oneof at most one. */
function anyOf(type: protobuf.Type, depth = 4): fc.Arbitrary<object> {
  const fields = type.fieldsArray.filter(
    ({ resolvedType }) => depth > 0 || !(resolvedType instanceof protobuf.Type) || resolvedType.name === 'Header',
  )
  const all = fields.map((field) => {
    const value = valueOf(field, depth)
    return fc.record(
      { [nameOf(field)]: field.repeated ? fc.array(value, { maxLength: 3 }) : value },
      { requiredKeys: [] },
    )
  })
  return fc.tuple(...all).map((parts) => {
    const message: Record<string, unknown> = {}
    const taken = new Set<unknown>()
    for (const [at, part] of parts.entries()) {
      const { partOf } = fields[at]!
      if (Object.keys(part).length === 0 || (partOf !== null && taken.has(partOf))) continue
      taken.add(partOf)
      Object.assign(message, part)
    }
    return message
  })
}

/** As the other implementation takes it. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
}

function toOther(type: protobuf.Type, message: object): Record<string, unknown> {
  const other = plain(message) as Record<string, unknown>
  for (const field of type.fieldsArray) {
    const value = other[nameOf(field)]
    if (value === undefined || !(field.resolvedType instanceof protobuf.Type)) continue
    const inner = field.resolvedType
    other[nameOf(field)] = field.repeated
      ? (value as object[]).map((one) => toOther(inner, one))
      : toOther(inner, value as object)
  }
  if (type.name !== 'KeyValue' || other['revision'] === undefined) return other
  const { revision, ...rest } = other
  return { ...rest, modRevision: revision }
}

function bytesOf(type: protobuf.Type, message: object): Buffer {
  return Buffer.from(type.encode(type.fromObject(toOther(type, message))).finish())
}

function read(type: protobuf.Type, message: Uint8Array): object {
  return type.toObject(type.decode(message), { longs: Number, defaults: true, arrays: true })
}

/** Of each of many types. */
const RUNS = { numRuns: 30 }

describe('the messages of etcd’s API', () => {
  it.each(TYPES.map((type) => [type.name, type] as const))('%s has the numbers that etcd has', (name, type) => {
    if (NOT_IN_THE_OTHER.has(name)) return
    const other = ETCDS.lookupType(OTHER_NAMES[name] ?? `etcdserverpb.${name}`)
    for (const { id, repeated, resolvedType, type: scalar, name: field } of type.fieldsArray) {
      const same = other.fieldsById[id]
      // Of 3.4 and later.
      if (same === undefined) continue
      const place = `${name}.${field}`
      expect([place, same.repeated]).toEqual([place, repeated])
      const kind = resolvedType instanceof protobuf.Type ? 'message' : scalar
      const otherKind = same.resolvedType instanceof protobuf.Type ? 'message' : same.type
      const isLengthy = ['message', 'string', 'bytes'].includes(kind)
      expect([place, ['message', 'string', 'bytes'].includes(otherKind)]).toEqual([place, isLengthy])
      if (resolvedType instanceof protobuf.Enum)
        expect(Object.keys((same.resolvedType as protobuf.Enum).values).length).toBeGreaterThan(0)
    }
  })

  it.each(
    SERVICES.flatMap(({ name, methodsArray }) => methodsArray.map((method) => [`${name}/${method.name}`, method])),
  )('%s is called by its path', (path, method) => {
    const calls = Object.values(rpc).filter((one) => 'path' in one) as unknown as Rpc<object, object>[]
    const call = calls.find((one) => one.path === `/etcdserverpb.${path as string}`)
    const { requestType, responseType } = method as protobuf.Method
    expect(call).toMatchObject({ request: messageOf(requestType), response: messageOf(responseType) })
  })

  it.each(TYPES.map((type) => [type.name, type] as const))(
    '%s is written as another implementation reads it, behind what is the caller’s',
    (name, type) => {
      fc.assert(
        fc.property(anyOf(type), fc.nat(9), (message, room) => {
          const written = encode(messageOf(name), message, room)
          expect(read(type, written.subarray(room))).toEqual(read(type, bytesOf(type, message)))
        }),
        RUNS,
      )
    },
  )

  it.each(TYPES.map((type) => [type.name, type] as const))(
    '%s is read as another implementation writes it',
    (name, type) => {
      const message = messageOf(name)
      fc.assert(
        fc.property(anyOf(type), (given) => {
          // Reading and writing are checked against each other, and writing against the other implementation.
          const own = decode(message, encode(message, given))
          expect(decode(message, bytesOf(type, given))).toEqual(own)
          const unread = type.fieldsArray.filter((field) => formOf(field) === 'WRITTEN').map(({ name: field }) => field)
          const expected = Object.fromEntries(Object.entries(given).filter(([field]) => !unread.includes(field)))
          for (const [field, value] of Object.entries(expected)) {
            if (typeof value !== 'object' || Buffer.isBuffer(value)) expect(own).toHaveProperty(field, value)
          }
        }),
        RUNS,
      )
    },
  )

  it.each(TYPES.map(({ name }) => name))('%s of garbage is read or refused', (name) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (garbage) => {
        try {
          decode(messageOf(name), Buffer.from(garbage))
        } catch (error) {
          expect(error).toBeInstanceOf(ProtobufError)
        }
      }),
      RUNS,
    )
  })

  const { RANGE, WATCH, STATUS } = rpc
  const rangeResponse = OURS.lookupType('RangeResponse')

  it.each([0, 1, 127, 128, 2 ** 31, 2 ** 32 + 1, 2 ** 40, Number.MAX_SAFE_INTEGER])('%d is read exactly', (count) => {
    const answer = Buffer.from(rangeResponse.encode({ header: { revision: count }, count }).finish())
    expect(decode(RANGE.response, answer)).toMatchObject({ header: { revision: count }, count })
  })

  it('a number of an answer that would have to be rounded is refused, and one of a request is rounded', () => {
    const tooLarge = Buffer.from([0x20, ...Array.from({ length: 8 }, () => 0xff), 0x7f])
    expect(() => decode(RANGE.response, tooLarge)).toThrow(ProtobufError)
    expect(decode(RANGE.request, tooLarge).revision).toBe(2 ** 63)
  })

  it('keeps every bit of an identifier, and every byte of a key', () => {
    const id = -(2n ** 63n) + 5n
    const message = { key: 'a\udcff\udc80ö', lease: id }
    expect(decode(rpc.PUT.request, encode(rpc.PUT.request, message))).toMatchObject(message)
  })

  it('passes over what is not in the description', () => {
    const header = Buffer.from([0x0a, 13, 0x28, ...Array.from({ length: 9 }, () => 0xff), 1, 0x18, 7])
    expect(decode(RANGE.response, header).header.revision).toBe(7)
  })

  it('of a oneof the last is what counts', () => {
    const put = encode(rpc.RequestOp, { put: { key: 'a' } })
    const range = encode(rpc.RequestOp, { range: { key: 'b' } })
    const op = decode(rpc.RequestOp, Buffer.concat([range, put]))
    expect([op.range, op.put?.key]).toEqual([undefined, 'a'])
  })

  it('reads numbers of a list one by one or packed', () => {
    const { WatchCreateRequest } = rpc
    expect(decode(WatchCreateRequest, Buffer.of(0x28, 1, 0x2a, 2, 0, 1)).filters).toEqual([1, 0, 1])
  })

  it('reads what is absent as zero', () => {
    const response = decode(WATCH.response, Buffer.alloc(0))
    expect(response).toMatchObject({ compactRevision: 0, fragment: false, events: [], header: { revision: 0 } })
    expect(decode(STATUS.response, Buffer.alloc(0)).dbSize).toBe(0)
  })

  it.each([
    ['half a message', Buffer.from([0x0a, 40, 0x18])],
    ['half a number', Buffer.from([0x20, 0xff])],
  ])('%s is refused', (_, broken) => {
    expect(() => decode(RANGE.response, broken)).toThrow(ProtobufError)
  })
})
