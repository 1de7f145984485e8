import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HeaderDecoder, literal } from '../../../src/wire/hpack.ts'

/** By a connection on which nothing came before, and no table was agreed on. */
function readHeaders(block: Buffer): readonly (readonly [string, string])[] {
  return pairsOf(new HeaderDecoder({ tableBytes: 0, listBytes: 10_000 }).decode(block))
}

function pairsOf(fields: readonly string[] | undefined): readonly (readonly [string, string])[] {
  return (fields ?? []).flatMap((name, i, all) => (i % 2 === 0 ? [[name, all[i + 1]!] as const] : []))
}

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
    expect(readHeaders(compressed('a', hex))).toEqual([['a', text]])
  })

  it('reads what it wrote', () => {
    const name = fc.stringMatching(/^[a-z-]{1,200}$/)
    const value = fc.stringMatching(/^[ -~]{0,400}$/)
    fc.assert(
      fc.property(name, value, (a, b) => {
        expect(readHeaders(literal(a, b))).toEqual([[a, b]])
      }),
    )
  })

  it.each([
    ['a status of the table', [0x88], ':status', '200'],
    ['a status beside the table', [0x08, 3, 0x35, 0x30, 0x33], ':status', '503'],
    ['a name of the table, to be kept', [0x5f, 1, 0x61], 'content-type', 'a'],
    ['a name of the table, never to be kept', [0x1f, 16, 1, 0x61], 'content-type', 'a'],
    ['a change of the table to none', [0x20, 0x89], ':status', '204'],
  ])('reads %s', (_, bytes, name, value) => {
    expect(readHeaders(Buffer.from(bytes))).toEqual([[name, value]])
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

// From the appendix of RFC 7541.
describe('blocks of one connection', () => {
  const date = ['date', 'Mon, 21 Oct 2013 20:13:21 GMT']
  const location = ['location', 'https://www.example.com']
  const cookie = 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1'
  const requests: readonly [string, readonly (readonly string[])[]][] = [
    [
      '828684418cf1e3c2e5f23a6ba0ab90f4ff',
      [
        [':method', 'GET'],
        [':scheme', 'http'],
        [':path', '/'],
        [':authority', 'www.example.com'],
      ],
    ],
    [
      '828684be5886a8eb10649cbf',
      [
        [':method', 'GET'],
        [':scheme', 'http'],
        [':path', '/'],
        [':authority', 'www.example.com'],
        ['cache-control', 'no-cache'],
      ],
    ],
    [
      '828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf',
      [
        [':method', 'GET'],
        [':scheme', 'https'],
        [':path', '/index.html'],
        [':authority', 'www.example.com'],
        ['custom-key', 'custom-value'],
      ],
    ],
  ]
  const answers: readonly [string, readonly (readonly string[])[]][] = [
    [
      '488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3',
      [[':status', '302'], ['cache-control', 'private'], date, location],
    ],
    ['4883640effc1c0bf', [[':status', '307'], ['cache-control', 'private'], date, location]],
    [
      '88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
      [
        [':status', '200'],
        ['cache-control', 'private'],
        ['date', 'Mon, 21 Oct 2013 20:13:22 GMT'],
        location,
        ['content-encoding', 'gzip'],
        ['set-cookie', cookie],
      ],
    ],
  ]
  it.each([
    ['name headers of those before', 4096, requests],
    ['forget the oldest where the table is full', 256, answers],
  ])('%s', (_, tableBytes, blocks) => {
    const decoder = new HeaderDecoder({ tableBytes, listBytes: 10_000 })
    for (const [hex, fields] of blocks) expect(pairsOf(decoder.decode(Buffer.from(hex, 'hex')))).toEqual(fields)
  })

  it('shrink the table, and may let it grow to what was agreed on', () => {
    const decoder = new HeaderDecoder({ tableBytes: 4096, listBytes: 10_000 })
    decoder.decode(Buffer.from(requests[0]![0], 'hex'))
    expect(() => decoder.decode(Buffer.of(0x20, 0xbe))).toThrow(RangeError)
    expect(() => decoder.decode(Buffer.of(0x3f, 0xe2, 0x1f))).toThrow(RangeError)
    expect(decoder.decode(Buffer.of(0x20, 0x3f, 0xe1, 0x1f, 0x82))).toEqual([':method', 'GET'])
    expect(() => decoder.decode(Buffer.of(0x82, 0x20))).toThrow(RangeError)
  })

  it('that are too much are read to their end and not kept', () => {
    const decoder = new HeaderDecoder({ tableBytes: 4096, listBytes: 100 })
    const kept = Buffer.concat([Buffer.of(0x40), literal('a', 'b').subarray(1)])
    expect(decoder.decode(Buffer.concat([literal('x', 'y'.repeat(200)), kept]))).toBeUndefined()
    expect(decoder.decode(Buffer.of(0xbe))).toEqual(['a', 'b'])
  })

  it('know the headers that there is room for, and no older ones, however many there were', () => {
    const limit = 300
    const header = fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/), fc.stringMatching(/^[a-z]{0,90}$/))
    // Some are larger than the whole table, which is empty then.
    const huge = fc.tuple(fc.constant('huge'), fc.constant('x'.repeat(limit)))
    const headers = fc.array(fc.oneof({ weight: 30, arbitrary: header }, { weight: 1, arbitrary: huge }), {
      minLength: 100,
      maxLength: 300,
    })
    fc.assert(
      fc.property(headers, (sent) => {
        const decoder = new HeaderDecoder({ tableBytes: limit, listBytes: 10_000 })
        let known: (readonly [string, string])[] = []
        for (const [name, value] of sent) {
          decoder.decode(Buffer.concat([Buffer.of(0x40), literal(name, value).subarray(1)]))
          known = [[name, value], ...known]
          while (known.reduce((sum, one) => sum + one[0].length + one[1].length + 32, 0) > limit) known.pop()
          for (const [i, one] of known.entries()) expect(decoder.decode(Buffer.of(0xbe + i))).toEqual(one)
          expect(() => decoder.decode(Buffer.of(0xbe + known.length))).toThrow(RangeError)
        }
      }),
      { numRuns: 20 },
    )
  })
})
