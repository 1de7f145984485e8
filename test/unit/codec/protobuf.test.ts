import { describe, expect, it } from 'vitest'
import { ProtobufError } from '../../../src/wire/protobuf-error.ts'
import { decodeMessage } from '../../../src/codec/protobuf-decode.ts'
import { decodeProtobuf, decodeRaw, encodeEnvelope, encodeProtobuf, encodeRaw } from '../../../src/codec/protobuf.ts'
import type { ObjectShape } from '../../../src/schema/table.ts'
import { BUILT_IN, kindOf } from '../../corpora/built-in-kinds.ts'
import { tooSlow } from '../../rigs/processor-time.ts'

function shapeOf(name: string): ObjectShape {
  const found = BUILT_IN.shape(name)
  if (found === undefined) throw new Error(`no ${name}`)
  return found
}

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const hex = (buffer: Buffer): string => buffer.toString('hex')

describe('the envelope', () => {
  it('says the names that the object bears, and ends with an empty encoding and content type', () => {
    const encoded = encodeProtobuf(kindOf('ConfigMap'), { kind: 'ConfigMap', apiVersion: 'v1', data: { a: 'b' } })
    expect(encoded.subarray(0, 4)).toEqual(bytes('6b387300'))
    expect(hex(encoded).endsWith('1a002200')).toBe(true)
    expect(decodeProtobuf(encoded)).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', contentType: '' })
  })

  it.each([
    ['the kind’s where the object has none', {}, { kind: 'ConfigMap', apiVersion: 'v1' }],
    ['no version where the object has a kind only', { kind: 'X' }, { kind: 'X', apiVersion: '' }],
    ['another brand’s', { kind: 'X', apiVersion: 'meta.svc.io/v1' }, { kind: 'X', apiVersion: 'meta.svc.io/v1' }],
  ])('names %s', (_, object, names) => {
    expect(decodeProtobuf(encodeProtobuf(kindOf('ConfigMap'), object))).toMatchObject(names)
  })

  it('carries other content as it is', () => {
    const names = { kind: 'Table', apiVersion: 'meta.k8s.io/v1' }
    const encoded = encodeEnvelope(names, Buffer.from('{"rows":[]}'), 'application/json')
    const { raw, ...rest } = decodeProtobuf(encoded)
    expect(rest).toEqual({ ...names, contentType: 'application/json', contentEncoding: '' })
    expect(raw.toString()).toBe('{"rows":[]}')
  })

  it('takes its fields in any order and passes over those that nobody knows', () => {
    const raw = '12 03 0a0161'
    const envelope = decodeProtobuf(bytes(`6b387300 7a 02 0000 ${raw} 0a 09 12 03 466f6f 0a 02 7631`))
    expect(envelope).toMatchObject({ kind: 'Foo', apiVersion: 'v1' })
    expect(hex(envelope.raw)).toBe('0a0161')
  })

  it.each([
    ['nothing', '', 'empty data'],
    ['JSON', '7b7d', 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'],
    ['another version', '6b387301 0a00', 'provided data does not appear to be a protobuf message'],
    ['a prefix alone', '6b387300', 'empty body'],
    ['a piece of a tag', '6b387300 80', 'unexpected EOF'],
    ['a length past the end', '6b387300 12 05 00', 'unexpected EOF'],
    ['a length beyond all bounds', '6b387300 12 ffffffffffffffffff01', 'proto: negative length'],
    ['a number without end', '6b387300 ffffffffffffffffffffff', 'proto: integer overflow'],
    ['a number where bytes belong', '6b387300 10 01', 'proto: wrong wireType = 0 for field Raw'],
    ['the field number 0', '6b387300 02 00', 'proto: illegal tag 0'],
    ['a wire type that is none', '6b387300 7f', 'proto: illegal wireType 7'],
    ['the end of a group that did not begin', '6b387300 7c', 'proto: unexpected end of group'],
    ['names that are not UTF-8', '6b387300 0a 03 0a 01 ff', 'invalid UTF-8'],
  ])('refuses %s', (_, input, message) => {
    const read = () => decodeProtobuf(bytes(input))
    expect(read).toThrow(ProtobufError)
    expect(read).toThrow(message)
  })
})

describe('what is written', () => {
  it.each([
    ['meta_v1.LabelSelectorRequirement', 'zeros of what always has a value', {}, '0a00 1200'],
    ['meta_v1.Preconditions', 'nothing of what may be absent', {}, ''],
    ['meta_v1.Preconditions', 'the zero of a pointer that is there', { uid: '' }, '0a00'],
    [
      'meta_v1.DeleteOptions',
      'a bool and a number behind pointers',
      { gracePeriodSeconds: 0, orphanDependents: false },
      '0800 1800',
    ],
    [
      'meta_v1.Timestamp',
      'negative numbers in ten bytes',
      { seconds: -1, nanos: -1 },
      '08ffffffffffffffffff01 10ffffffffffffffffff01',
    ],
    ['meta_v1.Timestamp', 'the greatest number of 64 bits', { seconds: 2n ** 63n - 1n }, '08ffffffffffffffff7f 1000'],
    ['meta_v1.Timestamp', 'a number just below 2^53', { seconds: 2 ** 53 - 1 }, '08ffffffffffffff0f 1000'],
    [
      'meta_v1.Timestamp',
      'numbers of three and of five bytes',
      { seconds: 0x4000, nanos: 2 ** 31 - 1 },
      '08808001 10ffffffff07',
    ],
    [
      'core_v1.HTTPGetAction',
      'int-or-string as its three parts',
      { port: 'http' },
      '0a00 120a 0801 1000 1a04 68747470 1a00 2200',
    ],
    ['core_v1.TCPSocketAction', 'int-or-string as a number', { port: 80 }, '0a06 0800 1050 1a00 1200'],
    ['core_v1.ObjectFieldSelector', 'texts beyond ASCII', { fieldPath: 'é' }, '0a00 1202 c3a9'],
    [
      'authentication.k8s.io_v1.UserInfo',
      'lists in a wrapper',
      { extra: { k: ['', 'v'] } },
      '0a00 1200 220a 0a016b 1205 0a00 0a0176',
    ],
  ])('of %s: %s', (name, _, object, expected) => {
    expect(hex(encodeRaw(shapeOf(name), object))).toBe(expected.replaceAll(' ', ''))
  })

  it('has bytes, also none of them, but no value for null', () => {
    const secret = encodeRaw(shapeOf('core_v1.Secret'), { data: { a: 'AQI=', b: '', c: null } })
    expect(hex(secret)).toContain('12070a0161120201021205 0a01621200 12030a0163'.replaceAll(' ', ''))
  })

  it('sorts the keys of maps by their bytes', () => {
    const data = { b: '1', a: '2', '\u{1f680}': '3', '\uffee': '4', ['__proto__']: '5' }
    const order = [...hex(encodeRaw(shapeOf('meta_v1.LabelSelector'), { matchLabels: data })).matchAll(/12013([0-9])/g)]
    expect(order.map(([, digit]) => digit).join('')).toBe('52143')
  })

  it('has whole seconds in a time and microseconds in a micro-time', () => {
    const event = {
      metadata: {},
      eventTime: '2024-05-01T10:00:00.123456Z',
      deprecatedFirstTimestamp: '2024-05-01T10:00:00Z',
    }
    const text = hex(encodeRaw(shapeOf('events.k8s.io_v1.Event'), event))
    expect(text).toContain('08a0a5c8b106 1080 94ef3a'.replaceAll(' ', ''))
    expect(text).toContain('08a0a5c8b106 1000'.replaceAll(' ', ''))
  })

  it.each([
    ['a number for a text', 'core_v1.ConfigMap', { data: { a: 1 } }],
    ['a text for a number', 'meta_v1.Timestamp', { seconds: '1' }],
    ['a fraction for a whole number', 'meta_v1.Timestamp', { seconds: 1.5 }],
    ['a text for a bool', 'meta_v1.PatchOptions', { force: 'yes' }],
    ['a text for a list', 'meta_v1.LabelSelectorRequirement', { values: 'x' }],
    ['a list for a map', 'meta_v1.LabelSelector', { matchLabels: ['x'] }],
    ['a text for an object', 'core_v1.Pod', { spec: 'x' }],
    ['a text for a time', 'meta_v1.ManagedFieldsEntry', { time: 'yesterday' }],
    ['a list for int-or-string', 'core_v1.TCPSocketAction', { port: [] }],
    ['a text for a list in a wrapper', 'meta_v1.APIResource', { verbs: 'get' }],
    ['a type that has no protobuf form', 'meta_v1.Table', {}],
  ])('is never %s', (_, name, object) => {
    expect(() => encodeRaw(shapeOf(name), object)).toThrow(ProtobufError)
  })
})

describe('what is read', () => {
  const requirement = shapeOf('meta_v1.LabelSelectorRequirement')

  it('has the members that are always there, also where nothing was sent', () => {
    expect(decodeRaw(kindOf('Pod'), Buffer.alloc(0))).toEqual({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: {},
      spec: { containers: null },
      status: {},
    })
    expect(decodeMessage(Buffer.alloc(0), shapeOf('core_v1.PodCondition'))).toEqual({
      type: '',
      status: '',
      lastProbeTime: null,
      lastTransitionTime: null,
    })
    expect(decodeMessage(Buffer.alloc(0), shapeOf('core_v1.ServicePort'))).toEqual({ port: 0, targetPort: 0 })
  })

  it.each([
    ['fields that nobody knows', '0a0161 7a03010203 780f 7901020304050607087d01020304 1a0162', { values: ['b'] }],
    ['groups in groups', '0a0161 7b 7b0a0162 7c 0801 7c', {}],
    ['fields in any order, the last one winning', '1a0162 0a0162 0a0161', { values: ['b'] }],
  ])('passes over or takes %s', (_, input, more) => {
    expect(decodeMessage(bytes(input), requirement)).toEqual({ key: 'a', operator: '', ...more })
  })

  it('adds up a message that comes in pieces', () => {
    const pod = kindOf('Pod')
    const first = encodeRaw(pod.shape, { metadata: { labels: { a: '1' }, finalizers: ['x'], name: 'n' } })
    const pieces = bytes('0a 0a 5a 06 0a0162 120132 72 00 0a 03 72 01 79')
    expect(decodeRaw(pod, Buffer.concat([first, pieces])).metadata).toEqual({
      name: 'n',
      labels: { a: '1', b: '2' },
      finalizers: ['x', '', 'y'],
    })
  })

  it('takes packed numbers too', () => {
    const shape = shapeOf('core_v1.PodPortForwardOptions')
    expect(decodeMessage(bytes('0a03 50 9001 0851'), shape)).toEqual({ ports: [80, 144, 81] })
  })

  it('keeps the order of declaration, not that of the wire', () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'b' }
    const shape = shapeOf('meta_v1.OwnerReference')
    expect(Object.keys(decodeMessage(encodeRaw(shape, owner), shape))).toEqual(['apiVersion', 'kind', 'name', 'uid'])
  })

  it.each([
    ['the zero moment, which is none', '2200', null],
    ['1970', '2204 0800 1000', '1970-01-01T00:00:00Z'],
    ['a fraction, which Time has not', '2208 08 a0a5c8b106 10 05', '2024-05-01T10:00:00Z'],
    ['year 1, which is none either', '220b 08 8092b8c398feffffff01', null],
  ])('reads of moments %s', (_, input, time) => {
    const entry = decodeMessage(bytes(input), shapeOf('meta_v1.ManagedFieldsEntry'))
    expect(entry['time']).toBe(time)
  })

  it.each([
    ['text that is not UTF-8', requirement, '0a 02 c3 28', 'invalid UTF-8'],
    ['long text that is not UTF-8', requirement, `0a 20 ${'61'.repeat(31)} ff`, 'invalid UTF-8'],
    ['a wrong wire type', requirement, '08 01', 'proto: wrong wireType = 0 for field Key'],
    ['a wrong wire type in a time', shapeOf('meta_v1.ManagedFieldsEntry'), '22 02 0a 00', 'proto: wrong wireType = 2'],
    ['a wrong wire type of a map', shapeOf('meta_v1.LabelSelector'), '08 01', 'for field MatchLabels'],
    ['a wrong wire type of an inlined struct', shapeOf('core_v1.Probe'), '08 01', 'proto: wrong wireType = 0'],
    ['a moment beyond year 9999', shapeOf('meta_v1.ManagedFieldsEntry'), '22 08 08 ffffffffffff3f', 'out of range'],
    ['an infinite number', shapeOf('apiextensions.k8s.io_v1.JSONSchemaProps'), '49 000000000000f07f', 'infinity'],
    ['embedded JSON that is none', shapeOf('apps_v1.ControllerRevision'), '12 03 0a 01 7b', 'embedded JSON'],
    ['a group without end', requirement, '7b 7b 7c', 'unexpected EOF'],
    ['a double that ends early', shapeOf('apiextensions.k8s.io_v1.JSONSchemaProps'), '49 00', 'unexpected EOF'],
  ])('is never %s', (_, shape, input, message) => {
    const read = () => decodeMessage(bytes(input), shape)
    expect(read).toThrow(ProtobufError)
    expect(read).toThrow(message)
  })

  it('is never deeper than a stack', () => {
    const shape = shapeOf('apiextensions.k8s.io_v1.JSONSchemaProps')
    let nested: Buffer = Buffer.alloc(0)
    for (let i = 0; i < 3000; i++) nested = encodeNested(nested)
    expect(() => decodeMessage(nested, shape)).toThrow('maximum depth')
    const deepJson = Buffer.from('['.repeat(5000))
    const revision = Buffer.concat([bytes('12 8b27 0a 8827'), deepJson])
    expect(() => decodeMessage(revision, shapeOf('apps_v1.ControllerRevision'))).toThrow('depth')
  })

  it('makes little of much that is empty', () => {
    const list = decodeMessage(bytes('1200 1200 1200 12020a00'), shapeOf('batch_v1.CronJobList'))
    const [first, second, , last] = list['items'] as readonly unknown[]
    expect(first).toBe(second)
    expect(last).toEqual(first)
    const jobs = (size: number) => decodeMessage(Buffer.alloc(size, bytes('1200')), shapeOf('batch_v1.CronJobList'))
    const items = jobs(100_000)['items'] as readonly unknown[]
    expect(items).toHaveLength(50_000)
    expect(new Set(items)).toEqual(new Set([first]))
  })

  it('goes on with a message whose first piece was empty', () => {
    const metadata = decodeRaw(kindOf('Pod'), bytes('0a00 0a03 0a0161')).metadata
    expect(metadata).toEqual({ name: 'a' })
  })

  it('takes linear time for what is made to be slow', () => {
    for (const piece of ['0a 02 72 00', 'fa 3f 00']) {
      const input = Buffer.alloc(300_000, bytes(piece))
      expect(tooSlow(input, (pieces) => decodeMessage(pieces, kindOf('Pod').shape))).toBe('')
    }
  })
})

/** A schema with the given one as its `not`. */
function encodeNested(inner: Buffer): Buffer {
  const size: number[] = []
  for (let rest = inner.length; ; rest >>>= 7) {
    size.push(rest < 0x80 ? rest : (rest & 0x7f) | 0x80)
    if (rest < 0x80) break
  }
  return Buffer.concat([bytes('e201'), Buffer.from(size), inner])
}
