import { describe, expect, it } from 'vitest'
import type { ValueMap } from '../../../src/api/value.ts'
import { decodeObject } from '../../../src/schema/decode.ts'
import { inOrder } from '../../../src/schema/member-order.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'

const { shape } = loadBuiltInSchema().kind({ group: '', version: 'v1', kind: 'Pod' })!

function decoded(source: object): ValueMap {
  return decodeObject(source as ValueMap, shape).value
}

const MIXED = {
  spec: {
    restartPolicy: 'Always',
    nodeSelector: { zone: 'a', arch: 'b' },
    containers: [
      {
        image: 'i',
        env: [{ valueFrom: { fieldRef: { fieldPath: 'metadata.name', apiVersion: 'v1' } }, name: 'E' }],
        resources: { requests: { memory: '1Gi', cpu: '1' }, limits: { cpu: '2' } },
        name: 'c',
      },
    ],
  },
  apiVersion: 'v1',
  metadata: { labels: { b: '2', a: '1' }, namespace: 'ns', name: 'p' },
  kind: 'Pod',
}

describe('members in the order of canonical JSON', () => {
  it('are those of the schema in records and sorted in maps, at every depth', () => {
    expect(JSON.stringify(inOrder(decoded(MIXED), shape))).toBe(
      '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"ns","labels":{"a":"1","b":"2"}},' +
        '"spec":{"containers":[{"name":"c","image":"i","env":[{"name":"E","valueFrom":{"fieldRef":{"apiVersion":"v1",' +
        '"fieldPath":"metadata.name"}}}],"resources":{"limits":{"cpu":"2"},"requests":{"cpu":"1","memory":"1Gi"}}}],' +
        '"restartPolicy":"Always","nodeSelector":{"arch":"b","zone":"a"}},"status":{}}',
    )
  })

  it('are the object itself where they are so already', () => {
    const once = inOrder(decoded(MIXED), shape)
    expect(inOrder(once, shape)).toBe(once)
  })

  it('leave parts that are in order as they are, and shared', () => {
    const once = inOrder(decoded(MIXED), shape)
    const { kind, ...rest } = once
    const again = inOrder({ ...rest, kind: kind! }, shape)
    expect(Object.keys(again)).toEqual(Object.keys(once))
    expect(again['spec']).toBe(once['spec'])
  })

  it('stay as they are where the schema does not know one', () => {
    const odd = { unknown: 1, ...decoded(MIXED) }
    expect(inOrder(odd, shape)).toBe(odd)
  })

  it('are put in order in one walk, however deep they are', () => {
    const definition = loadBuiltInSchema().kind({
      group: 'apiextensions.k8s.io',
      version: 'v1',
      kind: 'CustomResourceDefinition',
    })!
    const text = (leaf: string, level: (inner: string) => string): string =>
      Array.from({ length: 64 }).reduce<string>((inner) => level(inner), leaf)
    const of = (schema: string): string =>
      `{"metadata":{},"spec":{"group":"","names":{"plural":"","kind":""},"scope":"","versions":[{"name":"v","served":true,` +
      `"storage":true,"schema":{"openAPIV3Schema":${schema}}}]}}`
    const mixed = of(text('{"type":"string"}', (inner) => `{"properties":{"a":${inner}},"type":"object"}`))
    const ordered = of(text('{"type":"string"}', (inner) => `{"type":"object","properties":{"a":${inner}}}`))
    const { value } = decodeObject(JSON.parse(mixed) as ValueMap, definition.shape)
    const { metadata, spec } = inOrder(value, definition.shape)
    expect(JSON.stringify({ metadata, spec })).toBe(ordered)
  })
})
