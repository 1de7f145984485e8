import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ValueMap } from '../../../src/api/value.ts'
import { encodeProtobuf, encodeRaw, typeNamesOf } from '../../../src/codec/protobuf.ts'
import { jsonText } from '../../../src/api/json-text.ts'
import { parseStoredJson } from '../../../src/codec/stored-json.ts'
import { Transcoder } from '../../../src/codec/transcode.ts'
import type { KindSchema } from '../../../src/schema/table.ts'
import { BUILT_IN, kindOf } from '../../corpora/built-in-kinds.ts'
import { arbitraryObject } from '../../corpora/arbitrary-object.ts'
import { goldenFixtures } from '../../corpora/golden-fixtures.ts'

const transcoder = new Transcoder()

/** The two ways from JSON to protobuf must meet. */
function expectSame(kind: KindSchema, json: string): void {
  const object = parseStoredJson(Buffer.from(json)) as ValueMap
  const message = transcoder.message(kind.shape, Buffer.from(json))
  expect(message.equals(encodeRaw(kind.shape, object)), `${kind.kind} ${json}`).toBe(true)
}

describe('stored JSON to protobuf', () => {
  it('gives the golden bytes of every fixture', () => {
    const fixtures = goldenFixtures().filter(({ kind }) => kind?.hasProtobuf === true)
    expect(fixtures.length).toBeGreaterThan(30)
    for (const { name, kind, json, protobuf } of fixtures) {
      if (kind === undefined) continue
      const object = parseStoredJson(Buffer.from(json)) as ValueMap
      const made = transcoder.enveloped(kind.shape, typeNamesOf(kind, object), Buffer.from(jsonText(object)))
      expect(made.equals(encodeProtobuf(kind, object)), name).toBe(true)
      expect(made.equals(protobuf), name).toBe(true)
    }
  })

  it('gives what the encoder gives, for objects of every kind', () => {
    const kinds = [...BUILT_IN.kinds()].filter((kind) => kind.hasProtobuf)
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds).chain((kind) => arbitraryObject(kind).map((object) => ({ kind, object }))),
        ({ kind, object }) => expectSame(kind, jsonText(object)),
      ),
      { numRuns: 300 },
    )
  })

  it.each<[string, KindSchema, string]>([
    ['an empty object', kindOf('Pod'), '{}'],
    ['names only', kindOf('Pod'), '{"kind":"Pod","apiVersion":"v1"}'],
    [
      'escapes',
      kindOf('ConfigMap'),
      '{"metadata":{"name":"a\\"b\\\\c\\n\\u003cd\\u00e9\\ud83d\\ude00"},"data":{"k":"\\/"}}',
    ],
    ['escapes in a key', kindOf('ConfigMap'), '{"data":{"a\\u003cb":"c","a":"d"}}'],
    ['text beyond ASCII', kindOf('ConfigMap'), '{"metadata":{"name":"é😀"},"data":{"ü":"\u2028"}}'],
    ['a map out of order', kindOf('ConfigMap'), '{"data":{"c":"3","a":"1","b":"2","aa":"4"}}'],
    [
      'a long map out of order',
      kindOf('ConfigMap'),
      `{"data":{${Array.from({ length: 90 }, (_, i) => `"k${99 - i}":"v"`).join(',')}}}`,
    ],
    [
      'members out of order',
      kindOf('Pod'),
      '{"status":{"phase":"P"},"spec":{"nodeName":"n","containers":[]},"metadata":{"uid":"u","name":"a"}}',
    ],
    [
      'unknown members',
      kindOf('Pod'),
      '{"metadata":{"name":"a","nome":"b","Name":"c"},"extra":{"x":[1,{"y":null}]},"spec":{}}',
    ],
    ['null members', kindOf('Pod'), '{"metadata":null,"spec":{"containers":null,"nodeName":null,"nodeSelector":null}}'],
    ['null items', kindOf('Pod'), '{"spec":{"containers":[null,{"name":"c"}]},"metadata":{"finalizers":[null]}}'],
    ['negative numbers', kindOf('Pod'), '{"spec":{"priority":-5},"metadata":{"generation":-1}}'],
    ['big numbers', kindOf('Pod'), '{"metadata":{"generation":9223372036854775807}}'],
    ['large numbers', kindOf('Pod'), '{"metadata":{"generation":999999999999999}}'],
    ['moments before 1970', kindOf('Pod'), '{"metadata":{"creationTimestamp":"1960-01-01T00:00:00Z"}}'],
    ['the zero moment', kindOf('Pod'), '{"metadata":{"creationTimestamp":"0001-01-01T00:00:00Z"}}'],
    [
      'several moments',
      kindOf('Pod'),
      '{"metadata":{"creationTimestamp":"2026-01-01T00:00:00Z","deletionTimestamp":"2026-01-01T00:00:00Z"},"status":{"startTime":"2026-01-01T00:00:01Z"}}',
    ],
    [
      'micro-moments',
      kindOf('Lease', 'coordination.k8s.io'),
      '{"spec":{"renewTime":"2026-01-01T00:00:00.123456Z","acquireTime":null}}',
    ],
    ['bytes', kindOf('Secret'), '{"data":{"k":"dmFsdWU=","l":""}}'],
    [
      'either a number or a text',
      kindOf('Service'),
      '{"spec":{"ports":[{"port":80,"targetPort":"http"},{"port":1,"targetPort":8080},{"port":2}]}}',
    ],
    ['quantities', kindOf('Pod'), '{"spec":{"containers":[{"resources":{"limits":{"cpu":"1","memory":"1Gi"}}}]}}'],
    [
      'fields that are owned',
      kindOf('Pod'),
      '{"metadata":{"managedFields":[{"fieldsV1":{"f:a":{"k:{\\"x\\":\\"\\u003c\\"}":{}}}},{"fieldsV1":{".":{}}}]}}',
    ],
    ['raw objects', kindOf('ControllerRevision', 'apps'), '{"data":{"a":[1,2.5,"x"],"b":null},"revision":1}'],
    ['a raw text', kindOf('ControllerRevision', 'apps'), '{"data":"x","revision":1}'],
    [
      'lists of lists of texts',
      kindOf('CertificateSigningRequest', 'certificates.k8s.io'),
      '{"spec":{"request":"YQ==","extra":{"k":["a","b"]}}}',
    ],
    [
      'schemas',
      kindOf('CustomResourceDefinition', 'apiextensions.k8s.io'),
      '{"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"type":"object","items":{"type":"string"},"additionalProperties":true}}}]}}',
    ],
    ['JSON with blanks', kindOf('Pod'), '{ "metadata" : { "name" : "a" } }'],
  ])('takes %s', (_name, kind, json) => expectSame(kind, json))

  it('knows objects again, and those that only look alike apart', () => {
    const container = (name: string, image: string) => ({
      name,
      image,
      ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    })
    const images = ['a', 'a', 'b', 'a', 'bb', 'a', 'b', 'a"', 'a']
    for (let round = 0; round < 60; round++) {
      const image = images[round % images.length] ?? ''
      const containers = [
        container('one', image),
        container('two', 'x'),
        container('one', image),
        container('three', String(round)),
      ]
      const conditions = [
        { type: 'Ready', status: 'True', lastTransitionTime: `2026-01-01T00:00:${String(round).padStart(2, '0')}Z` },
      ]
      expectSame(
        kindOf('Pod'),
        JSON.stringify({ metadata: { name: 'p' }, spec: { containers }, status: { conditions } }),
      )
    }
  })

  it('grows with what it is given', () => {
    const data = Object.fromEntries(
      Array.from({ length: 3000 }, (_, i) => [`key-${String(i).padStart(5, '0')}`, 'x'.repeat(i % 200)]),
    )
    expectSame(kindOf('ConfigMap'), JSON.stringify({ metadata: { name: 'a' }, data }))
    const volumes = Array.from({ length: 5000 }, (_, i) => ({ name: `v${i}`, emptyDir: {} }))
    expectSame(kindOf('Pod'), JSON.stringify({ metadata: { name: 'a' }, spec: { volumes, containers: [] } }))
  })

  it('takes a value of a wrong type as never set', () => {
    const { shape } = kindOf('Pod')
    const written = Buffer.from(transcoder.message(shape, Buffer.from('{"spec":{"nodeName":5,"containers":[7]}}')))
    expect(written).toEqual(encodeRaw(shape, { spec: { containers: [{}] } }))
  })

  it('is none the worse for bytes that are no JSON', () => {
    const { shape } = kindOf('Pod')
    for (const text of ['', '{', '{"a', '{"metadata":{"name":"a"}', ']', '{"a":1}}', 'x', '{"metadata":{"name":"\\']) {
      expect(() => transcoder.message(shape, Buffer.from(text))).toThrow(SyntaxError)
    }
    expectSame(kindOf('Pod'), '{"metadata":{"name":"a"}}')
  })
})
