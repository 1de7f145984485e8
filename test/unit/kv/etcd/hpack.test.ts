import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HeaderReader, literal, readHeaders } from '../../../../src/kv/etcd/hpack.ts'

function compressed(name: string, hex: string): Buffer {
  const text = Buffer.from(hex, 'hex')
  const [head, value] = [literal(name, ''), Buffer.concat([Buffer.of(0x80 | text.length), text])]
  return Buffer.concat([head.subarray(0, -1), value])
}

describe('a block of headers', () => {
  // From the appendix of RFC 7541.
  it.each([
    ['www.example.com', 'f1e3c2e5f23a6ba0ab90f4ff'],
    ['no-cache', 'a8eb10649cbf'],
    ['custom-value', '25a849e95bb8e8b4bf'],
    ['302', '6402'],
    ['private', 'aec3771a4b'],
    ['Mon, 21 Oct 2013 20:13:21 GMT', 'd07abe941054d444a8200595040b8166e082a62d1bff'],
    ['https://www.example.com', '9d29ad171863c78f0b97c8e9ae82ae43d3'],
    [
      'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
      '94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
    ],
  ])('reads the compressed text %j', (text, hex) => {
    expect(readHeaders(compressed('a', hex))).toEqual(new Map([['a', text]]))
  })

  it('reads what it wrote', () => {
    const name = fc.stringMatching(/^[a-z-]{1,200}$/)
    const value = fc.stringMatching(/^[ -~]{0,400}$/)
    fc.assert(
      fc.property(name, value, (a, b) => {
        expect(readHeaders(literal(a, b))).toEqual(new Map([[a, b]]))
      }),
    )
  })

  it('that comes again is read as it was read before, however many others came between', () => {
    const reader = new HeaderReader()
    const blocks = Array.from({ length: 10 }, (_, i) => literal('a', String(i)))
    for (const block of [...blocks, ...blocks.flatMap((some) => [some, blocks[0]!])]) {
      const shown = Buffer.from(block)
      expect(reader.read(shown)).toEqual(readHeaders(block))
      shown.fill(0)
    }
  })

  it.each([
    ['a status of the table', [0x88], ':status', '200'],
    ['a status beside the table', [0x08, 3, 0x35, 0x30, 0x33], ':status', '503'],
    ['a name of the table, to be kept', [0x5f, 1, 0x61], 'content-type', 'a'],
    ['a name of the table, never to be kept', [0x1f, 16, 1, 0x61], 'content-type', 'a'],
    ['a change of the table to none', [0x20, 0x89], ':status', '204'],
  ])('reads %s', (_, bytes, name, value) => {
    expect(readHeaders(Buffer.from(bytes)).get(name)).toBe(value)
  })

  it.each([
    ['a header of a table that is empty', [0xbe]],
    ['a name of a table that is empty', [0x7e, 1, 0x61]],
    ['a header without a number', [0x80]],
    ['a larger table', [0x3f, 0x01]],
    ['a text that is cut off', [0x00, 5, 0x61]],
    ['a number that is cut off', [0xff]],
    ['a number without an end', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
    ['padding that is none', [0x00, 1, 0x61, 0x81, 0x00]],
    ['more padding than is needed', [0x00, 1, 0x61, 0x82, 0x1f, 0xff]],
    ['the code of the end', [0x00, 1, 0x61, 0x84, 0xff, 0xff, 0xff, 0xff]],
  ])('refuses %s', (_, bytes) => {
    expect(() => readHeaders(Buffer.from(bytes))).toThrow(RangeError)
  })

  it('is read or refused, whatever it is', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          readHeaders(Buffer.from(bytes))
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
      }),
    )
  })
})
