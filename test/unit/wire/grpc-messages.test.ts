import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { GrpcMessages } from '../../../src/wire/grpc-messages.ts'

function framed(message: Buffer, flag = 0): Buffer {
  const prefix = Buffer.from([flag, 0, 0, 0, 0])
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

function reading(maxBytes?: number): { readonly messages: GrpcMessages; readonly told: string[] } {
  const told: string[] = []
  const messages = new GrpcMessages(
    {
      onMessage: (message) => told.push(message.toString()),
      onCompressed: () => told.push('compressed'),
      onTooLong: (bytes) => told.push(`too long: ${bytes}`),
    },
    maxBytes,
  )
  return { messages, told }
}

it('messages come out whole, however their bytes come in', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 20 })), fc.integer({ min: 1, max: 12 }), (texts, size) => {
      const { messages, told } = reading()
      const bytes = Buffer.concat(texts.map((text) => framed(Buffer.from(text))))
      for (let at = 0; at < bytes.length; at += size) messages.push(bytes.subarray(at, at + size))
      expect(told).toEqual(texts)
      expect(messages.isCutOff).toBe(false)
    }),
  )
})

it('one that is longer than what is taken for it at first grows', () => {
  const { messages, told } = reading(1_000_000)
  const text = 'x'.repeat(700_000)
  const bytes = framed(Buffer.from(text))
  for (let at = 0; at < bytes.length; at += 50_000) messages.push(bytes.subarray(at, at + 50_000))
  expect(told).toEqual([text])
})

it('it is known that one is cut off, in its prefix or behind it', () => {
  for (const length of [1, 4, 6]) {
    const { messages } = reading()
    messages.push(framed(Buffer.from('abc')).subarray(0, length))
    expect(messages.isCutOff).toBe(true)
  }
})

it('one that is compressed or too long ends it, before it is all there', () => {
  const compressed = reading()
  compressed.messages.push(
    Buffer.concat([framed(Buffer.from('a')), framed(Buffer.from('b'), 1), framed(Buffer.from('c'))]),
  )
  expect(compressed.told).toEqual(['a', 'compressed'])
  const long = reading(3)
  long.messages.push(framed(Buffer.from('abc')))
  long.messages.push(framed(Buffer.from('abcd')).subarray(0, 5))
  long.messages.push(framed(Buffer.from('e')))
  expect(long.told).toEqual(['abc', 'too long: 4'])
})
