import { readdirSync, readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { metadataOf, partialMetadata } from '../../../src/codec/partial-metadata.ts'

const parsed = (bytes: Buffer): unknown => JSON.parse(bytes.toString())

describe('metadata-only forms', () => {
  it('of every golden object are its metadata', () => {
    const folder = new URL('../../fixtures/golden/', import.meta.url)
    const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
    expect(files.length).toBeGreaterThan(50)
    for (const name of files) {
      const object = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as { metadata?: object }
      const form = partialMetadata({ bytes: Buffer.from(JSON.stringify(object)) }, 'meta.k8s.io/v1')
      expect(parsed(form), name).toEqual({
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: object.metadata ?? {},
      })
    }
  })

  it('are the same bytes, wherever the metadata stands', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (a, metadata, z) => {
        const bytes = Buffer.from(JSON.stringify({ apiVersion: a, kind: 'K', metadata, spec: z }))
        expect(metadataOf({ bytes }).toString()).toBe(JSON.stringify(metadata))
      }),
    )
  })

  it('of an object without metadata have an empty one', () => {
    expect(metadataOf({ bytes: Buffer.from('{"kind":"K","spec":{"metadata":{"a":1}}}') }).toString()).toBe('{}')
  })
})
