import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MessageWriter } from '../../../src/wire/message-writer.ts'
import { ProtobufError } from '../../../src/wire/protobuf-error.ts'
import { ProtobufReader } from '../../../src/wire/protobuf-reader.ts'
import { ProtobufWriter } from '../../../src/wire/protobuf-writer.ts'
import { putVarint, varintSize } from '../../../src/wire/varint.ts'

const EDGES = Array.from({ length: 53 }, (_, bits) => [2 ** bits - 1, 2 ** bits]).flat()
const number = fc.oneof(fc.maxSafeNat(), fc.constantFrom(...EDGES))

describe('a whole number', () => {
  it('is read as it was written, and takes as many bytes as is said', () => {
    fc.assert(
      fc.property(number, (value) => {
        const writer = new ProtobufWriter(0)
        writer.varint(value)
        const bytes = writer.finish()
        const forward = Buffer.alloc(10)
        expect(forward.subarray(0, putVarint(forward, 0, value))).toEqual(bytes)
        expect(bytes).toHaveLength(varintSize(value))
        const reader = new ProtobufReader(bytes)
        expect(reader.safeUint()).toBe(value)
        expect(reader.hasMore).toBe(false)
      }),
    )
  })

  it.each([
    ['nothing', [], 'unexpected EOF'],
    ['one byte of two', [0x80], 'unexpected EOF'],
    ['nine bytes of ten', Array.from({ length: 9 }, () => 0xff), 'unexpected EOF'],
    ['eleven bytes', Array.from({ length: 11 }, () => 0xff), 'proto: integer overflow'],
    ['ten bytes that go on', Array.from({ length: 10 }, () => 0xff), 'proto: integer overflow'],
  ])('is not %s', (_name, bytes, message) => {
    expect(() => new ProtobufReader(Buffer.from(bytes)).uint()).toThrow(new ProtobufError(message))
  })

  it('that would have to be rounded is refused where it has to be exact', () => {
    const rounded = Buffer.from([...Array.from({ length: 8 }, () => 0xff), 0x7f])
    expect(new ProtobufReader(rounded).uint()).toBe(2 ** 63)
    expect(() => new ProtobufReader(rounded).safeUint()).toThrow(ProtobufError)
  })
})

describe('a message', () => {
  it('has the fields that were written, without those that are zero, behind what is the caller’s', () => {
    const writer = new MessageWriter(0)
    writer.message(20, (inner, text) => inner.text(1, text), 'nested')
    writer.flag(5, true)
    writer.flag(4, false)
    writer.bytes(3, Buffer.from([255, 0]))
    writer.bytes(3, Buffer.alloc(0))
    writer.text(2, 'ä')
    writer.text(2, undefined)
    writer.number(1, 300)
    writer.number(1, 0)
    const bytes = writer.finishBehind(5).subarray(5)
    const nested = [0xa2, 0x01, 8, 0x0a, 6, ...Buffer.from('nested')]
    expect([...bytes]).toEqual([0x08, 0xac, 0x02, 0x12, 2, 0xc3, 0xa4, 0x1a, 2, 255, 0, 0x28, 1, ...nested])
  })

  it('ends where it says, within another one', () => {
    const reader = new ProtobufReader(Buffer.from([0x0a, 2, 0x08, 7, 0x10, 9]))
    expect(reader.nextTag()).toBe(0x0a)
    const inner = reader.message((within) => [within.nextTag(), within.uint(), within.nextTag()])
    expect(inner).toEqual([0x08, 7, 0])
    expect([reader.nextTag(), reader.uint(), reader.nextTag()]).toEqual([0x10, 9, 0])
  })

  it.each([
    ['the number 0', [0x02], 'proto: illegal tag 0'],
    ['the number 0, in more bytes than it needs', [0x82, 0x00], 'proto: illegal tag 0'],
    ['a number beyond 32 bits', [0xff, 0xff, 0xff, 0xff, 0x7f], 'proto: illegal tag 4294967295'],
  ])('has no field with %s', (_name, bytes, message) => {
    expect(() => new ProtobufReader(Buffer.from(bytes)).nextTag()).toThrow(new ProtobufError(message))
  })
})

describe('a text that is not UTF-8', () => {
  it.each([
    ['a short one', Buffer.from([1, 0xff])],
    ['a long one', Buffer.concat([Buffer.from([20]), Buffer.alloc(20, 0xff)])],
  ])('is refused, or replaced where that is asked for: %s', (_name, bytes) => {
    expect(() => new ProtobufReader(bytes).text()).toThrow(ProtobufError)
    expect(new ProtobufReader(bytes).looseText()).toMatch(/^\ufffd+$/)
  })
})
