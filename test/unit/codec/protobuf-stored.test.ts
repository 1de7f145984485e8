import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scanJsonTokens } from '../../../src/codec/json-tape.ts'
import { ProtobufEncoder } from '../../../src/codec/protobuf-encode.ts'
import { encodeListItem } from '../../../src/codec/protobuf-stream.ts'
import { StoredProtobuf } from '../../../src/codec/protobuf-stored.ts'
import { ProtobufTranscoder } from '../../../src/codec/protobuf-transcode.ts'
import { decodeProtobuf, decodeRaw, encodeProtobuf, encodeRaw } from '../../../src/codec/protobuf.ts'
import { stringifyJson } from '../../../src/codec/stored-json.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import type { KindSchema } from '../../../src/schema/table.ts'
import { arbitraryObject } from '../../fakes/arbitrary-object.ts'
import { outOfProportion } from '../../fakes/processor-time.ts'

const table = loadBuiltInSchema()
const kinds = [...table.kinds()].filter((kind) => kind.hasProtobuf && kind.shape.typeMeta)

function kindOf(kind: string, group = ''): KindSchema {
  const found = table.kind({ group, version: 'v1', kind })
  if (found === undefined) throw new Error(`no ${kind}`)
  return found
}

/** What the short way makes of JSON; undefined where it leaves it to the long one. */
function transcode(kind: KindSchema, json: string): Buffer | undefined {
  const encoder = new ProtobufEncoder()
  return new ProtobufTranscoder().write(encoder, kind.shape, Buffer.from(json)) ? encoder.finish() : undefined
}

describe('stored JSON', () => {
  it('of every kind becomes the same bytes as its object', () => {
    const stored = new StoredProtobuf()
    let short = 0
    let all = 0
    for (const kind of kinds) {
      fc.assert(
        fc.property(arbitraryObject(kind), (random) => {
          // What has been through protobuf once is in the form that is stored: maps are sorted.
          const object = decodeRaw(kind, decodeProtobuf(encodeProtobuf(kind, random)).raw)
          const json = stringifyJson(object)
          expect(stored.object(kind, Buffer.from(json)).equals(encodeProtobuf(kind, object))).toBe(true)
          all++
          if (transcode(kind, json) !== undefined) short++
        }),
        { numRuns: 3 },
      )
    }
    expect(short / all).toBeGreaterThan(0.3)
  })

  it('becomes an item of a list', () => {
    const item = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a', labels: { x: 'y' } } }
    const expected = encodeListItem(kindOf('PodList'), item)
    expect(new StoredProtobuf().listItem(kindOf('Pod'), Buffer.from(JSON.stringify(item))).equals(expected)).toBe(true)
  })

  it('keeps whole numbers exact, whatever their size', () => {
    const json = '{"kind":"Pod","apiVersion":"v1","metadata":{"generation":9223372036854775807}}'
    const { raw } = decodeProtobuf(new StoredProtobuf().object(kindOf('Pod'), Buffer.from(json)))
    expect(decodeRaw(kindOf('Pod'), raw).metadata['generation']).toBe(2n ** 63n - 1n)
  })
})

describe('the short way', () => {
  it.each([
    ['texts with and without escapes', 'ConfigMap', '{"metadata":{"name":"ä"},"data":{"a":"b\\n\\u00e9","c":""}}'],
    ['members in another order', 'Pod', '{"spec":{"nodeName":"n","containers":[]},"metadata":{"uid":"u","name":"n"}}'],
    ['members that nobody knows', 'Pod', '{"surprise":{"a":[1,{"b":2}]},"metadata":{"name":"n"}}'],
    ['null', 'Pod', '{"metadata":{"labels":null,"name":"n"},"spec":{"containers":null},"status":{}}'],
    ['null in lists', 'Pod', '{"metadata":{"finalizers":["a",null]}}'],
    [
      'moments',
      'Event',
      '{"metadata":{"creationTimestamp":"1969-12-31T23:59:59Z"},"eventTime":"2024-05-01T10:00:00.000001Z"}',
    ],
    ['the zero moment', 'Pod', '{"metadata":{"creationTimestamp":"0001-01-01T00:00:00Z"}}'],
    ['negative numbers', 'Pod', '{"metadata":{"generation":-12}}'],
    [
      'ports by number and by name',
      'Service',
      '{"spec":{"ports":[{"port":80,"targetPort":8080},{"port":81,"targetPort":"x"}]}}',
    ],
    [
      'sets of fields',
      'Pod',
      '{"metadata":{"managedFields":[{"manager":"m","fieldsV1":{"k:{\\"a\\":\\"}\\"}":{".":{}}}}]}}',
    ],
    ['bytes', 'Secret', '{"data":{"a":"AQI="},"type":"t"}'],
    ['an empty object', 'Pod', '{}'],
  ])('takes %s', (_, kind, json) => {
    const expected = encodeRaw(kindOf(kind).shape, JSON.parse(json) as Record<string, never>)
    expect(transcode(kindOf(kind), json)?.toString('hex')).toBe(expected.toString('hex'))
  })

  it.each([
    ['blanks', 'Pod', '{"metadata": {"name":"a"}}'],
    ['a map that is not sorted', 'Pod', '{"metadata":{"labels":{"b":"1","a":"2"}}}'],
    ['a map with the same key twice', 'Pod', '{"metadata":{"labels":{"a":"1","a":"2"}}}'],
    ['keys with escapes', 'Pod', '{"metadata":{"labels":{"a\\n":"1"}}}'],
    ['a number of many digits', 'Pod', '{"metadata":{"generation":1234567890123456}}'],
    ['a fraction', 'Pod', '{"metadata":{"generation":1.5}}'],
    ['a text for a number', 'Pod', '{"metadata":{"generation":"1"}}'],
    ['a number for a text', 'Pod', '{"metadata":{"name":1}}'],
    ['a list for a map', 'Pod', '{"metadata":{"labels":[]}}'],
    ['a map for a list', 'Pod', '{"metadata":{"finalizers":{}}}'],
    ['a text for an object', 'Pod', '{"metadata":"x"}'],
    ['a text for a bool', 'Pod', '{"spec":{"hostNetwork":"x"}}'],
    ['what is no time', 'Pod', '{"metadata":{"creationTimestamp":"20xx-01-01T00:00:00Z"}}'],
    ['what is no object', 'Pod', '[]'],
    ['what is cut off', 'Pod', '{"metadata":{"name":"a'],
    ['what goes on', 'Pod', '{}{}'],
  ])('leaves %s to the long one', (_, kind, json) => {
    expect(transcode(kindOf(kind), json)).toBeUndefined()
  })

  it('can be gone again, also after something that it could not do', () => {
    const transcoder = new ProtobufTranscoder()
    const pod = kindOf('Pod').shape
    const bytes = (json: string) => {
      const encoder = new ProtobufEncoder()
      return transcoder.write(encoder, pod, Buffer.from(json)) ? encoder.finish().toString('hex') : undefined
    }
    const first = bytes('{"metadata":{"name":"a","labels":{"x":"y"}}}')
    expect(bytes('{"metadata":{"labels":{"b":"1","a":"2"}}}')).toBeUndefined()
    expect(
      bytes(`{"metadata":{"labels":{${Array.from({ length: 2000 }, (_, i) => `"k${10_000 + i}":"v"`).join()}}}}`),
    ).toBeDefined()
    expect(bytes('{"metadata":{"name":"a","labels":{"x":"y"}}}')).toBe(first)
  })
})

describe('the row of tokens', () => {
  it('never runs out of the bytes, whatever they are', () => {
    const scratch = new Int32Array(6)
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '\\',
      'a',
      '1',
      'true',
      'null',
      '"fieldsV1":{',
      '-',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const bytes = Buffer.from(pieces.join(''))
        const tokens = scanJsonTokens(bytes, scratch)
        expect(tokens === undefined || (tokens[2] as number) <= bytes.length).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it('is bounded in depth and linear in time', () => {
    const scan = (text: string) => scanJsonTokens(Buffer.from(text), new Int32Array(6))
    expect(scan('['.repeat(100_000))).toBeUndefined()
    const wide = (size: number): void => expect(scan(`[${'[],'.repeat(size)}[]]`)).toBeDefined()
    expect(outOfProportion(100_000, wide)).toBe('')
  })
})
