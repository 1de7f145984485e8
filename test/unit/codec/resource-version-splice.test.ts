import * as fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findValue } from '../../../src/codec/json-scan.ts'
import { layoutOf, spliceResourceVersion } from '../../../src/codec/resource-version-splice.ts'

function spliced(text: string, revision = 42): string | undefined {
  const bytes = Buffer.from(text)
  const layout = layoutOf(bytes)
  return layout === undefined ? undefined : spliceResourceVersion(bytes, layout, revision).toString()
}

describe('where the resourceVersion goes', () => {
  const rows = {
    'behind the uid in the order of the built-in kinds': {
      stored:
        '{"kind":"Pod","metadata":{"name":"a","namespace":"d","uid":"u","generation":1,"labels":{"k":"v"}},"spec":{}}',
      served:
        '{"kind":"Pod","metadata":{"name":"a","namespace":"d","uid":"u","resourceVersion":"42","generation":1,"labels":{"k":"v"}},"spec":{}}',
    },
    'behind the name where there is nothing else': {
      stored: '{"metadata":{"name":"a"}}',
      served: '{"metadata":{"name":"a","resourceVersion":"42"}}',
    },
    'before the uid in the order of names': {
      stored: '{"metadata":{"annotations":{},"creationTimestamp":"t","name":"a","uid":"u"}}',
      served: '{"metadata":{"annotations":{},"creationTimestamp":"t","name":"a","resourceVersion":"42","uid":"u"}}',
    },
    'first where only what follows is there': {
      stored: '{"metadata":{"uid":"u"}}',
      served: '{"metadata":{"resourceVersion":"42","uid":"u"}}',
    },
    'into empty metadata': { stored: '{"metadata":{}}', served: '{"metadata":{"resourceVersion":"42"}}' },
    'in the place of one that was stored': {
      stored: '{"metadata":{"name":"a","resourceVersion":"7","labels":{"b":"c"}}}',
      served: '{"metadata":{"name":"a","resourceVersion":"42","labels":{"b":"c"}}}',
    },
    'into the metadata of the object, not of something in it': {
      stored: '{"data":{"metadata":{"name":"x"}},"metadata":{"name":"a"}}',
      served: '{"data":{"metadata":{"name":"x"}},"metadata":{"name":"a","resourceVersion":"42"}}',
    },
    'past strings that look like JSON': {
      stored: '{"a":"{\\"metadata\\":{}","b\\\\":"]","metadata":{"name":"a\\"}"}}',
      served: '{"a":"{\\"metadata\\":{}","b\\\\":"]","metadata":{"name":"a\\"}","resourceVersion":"42"}}',
    },
  }
  it.each(Object.entries(rows))('%s', (_, { stored, served }) => {
    expect(spliced(stored)).toBe(served)
  })

  const refused = [
    '',
    '{',
    '}',
    'null',
    '[]',
    '{}',
    '{"metadata":1}',
    '{"metadata":{',
    '{"metadata":{"name"}}',
    'k8s\0\n}',
    '{"a":"}',
  ]
  it.each(refused)('is nowhere in %j', (text) => {
    expect(layoutOf(Buffer.from(text))).toBeUndefined()
  })

  it('is found without harm in any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        layoutOf(Buffer.from(bytes))
      }),
    )
  })

  it('leaves everything else as it was, in any object', () => {
    const json = fc.object({ maxDepth: 3, withBigInt: false, withNullPrototype: false, withObjectString: true })
    fc.assert(
      fc.property(json, json, fc.nat(), (around, metadata, revision) => {
        const stored = JSON.stringify({ ...around, metadata })
        const served = JSON.parse(spliced(stored, revision) ?? '') as { metadata: object }
        const wanted = JSON.parse(stored) as { metadata: object }
        expect(served).toEqual({ ...wanted, metadata: { ...wanted.metadata, resourceVersion: String(revision) } })
      }),
    )
  })
})

describe('the layout of an object', () => {
  it('tells where the labels are', () => {
    const bytes = Buffer.from('{"metadata":{"name":"a","labels":{"app":"web"},"managedFields":[{"f:labels":{}}]}}')
    const { start, end } = layoutOf(bytes)?.labels ?? { start: 0, end: 0 }
    expect(bytes.toString('utf8', start, end)).toBe('{"app":"web"}')
  })

  it('finds the labels of a real pod, and what is deep in it', () => {
    const pod = JSON.parse(readFileSync('test/fixtures/golden/core.v1.Pod.json', 'utf8')) as {
      metadata: { labels: object }
      spec: { nodeName: string }
    }
    const bytes = Buffer.from(JSON.stringify(pod))
    const labels = layoutOf(bytes)?.labels ?? { start: 0, end: 0 }
    expect(JSON.parse(bytes.toString('utf8', labels.start, labels.end))).toEqual(pod.metadata.labels)
    const nodeName = findValue(bytes, ['spec', 'nodeName']) ?? { start: 0, end: 0 }
    expect(JSON.parse(bytes.toString('utf8', nodeName.start, nodeName.end))).toBe(pod.spec.nodeName)
    expect(findValue(bytes, ['spec', 'nope'])).toBeUndefined()
    expect(findValue(bytes, ['kind', 'nope'])).toBeUndefined()
  })
})
