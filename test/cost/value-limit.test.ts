import { describe, expect, it } from 'vitest'
import { ApiError } from '../../src/api/status.ts'
import type { Value, ValueMap } from '../../src/api/value.ts'
import { type Encoding, encodeObject } from '../../src/codec/codec.ts'
import { readApplied, readDocument, readPatch } from '../../src/codec/request-body.ts'
import { kindOf } from '../corpora/built-in-kinds.ts'

const pod = kindOf('Pod')
const MANY = 500_000

function podWith(args: readonly Value[]): ValueMap {
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {},
    spec: { containers: [{ name: 'c', resources: {}, args }] },
    status: {},
  }
}

function codeOf(read: () => unknown): number {
  try {
    read()
    return 200
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
}

describe('a body of more values than any object has use for', () => {
  const small = podWith(Array.from({ length: MANY / 4 }, () => 'a'))
  const large = podWith(Array.from({ length: MANY + 10 }, () => 'a'))

  it.each<Encoding>(['json', 'protobuf', 'cbor'])('is too large in %s, and others are not', (encoding) => {
    expect(codeOf(() => readDocument(encodeObject(large, pod, encoding), encoding, pod))).toBe(413)
    expect(codeOf(() => readDocument(encodeObject(small, pod, encoding), encoding, pod))).toBe(200)
  })

  it.each<Encoding>(['json', 'protobuf', 'cbor'])('is not one of many keys: in %s they do not count', (encoding) => {
    const annotations = Object.fromEntries(Array.from({ length: MANY * 0.6 }, (_, i) => [i.toString(36), '']))
    const body = encodeObject({ ...podWith([]), metadata: { annotations } }, pod, encoding)
    expect(codeOf(() => readDocument(body, encoding, pod))).toBe(200)
  })

  it('is too large in YAML, as a patch and where it is applied', () => {
    const text = Buffer.from(JSON.stringify(large))
    const yaml = Buffer.from(`a: [${'b,'.repeat(2 * MANY + 10)}]`)
    expect(codeOf(() => readDocument(yaml, 'yaml', pod))).toBe(413)
    expect(codeOf(() => readApplied(yaml, 'yaml'))).toBe(413)
    expect(codeOf(() => readApplied(text, 'yaml'))).toBe(413)
    expect(codeOf(() => readPatch(text))).toBe(413)
    expect(codeOf(() => readPatch(Buffer.from(JSON.stringify(small))))).toBe(200)
  })
})
