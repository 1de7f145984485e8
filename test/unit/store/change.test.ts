import { describe, expect, it } from 'vitest'
import type { StoredObject } from '../../../src/api/read.ts'
import { parseFieldSelector } from '../../../src/api/selector-fields.ts'
import { Change } from '../../../src/store/change.ts'
import { matcherOf } from '../../../src/store/selection.ts'
import type { Matcher } from '../../../src/store/selection.ts'
import { pods } from '../../corpora/stored-resources.ts'

function named(name: string): StoredObject & { readonly kind: 'object' } {
  const value = { kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace: 'd', resourceVersion: '5' } }
  const bytes = Buffer.from(JSON.stringify(value))
  return { kind: 'object', namespace: 'd', name, revision: 5, bytes, object: () => value }
}

function selecting(fields: string): Matcher {
  return matcherOf(pods, { fields: parseFieldSelector(fields) })!
}

describe('a change', () => {
  it('is one event to all who select alike, and its own to those who do not', () => {
    const change = new Change(5, named('a'), undefined)
    const [first, second] = [
      change.eventFor(selecting('metadata.name=a')),
      change.eventFor(selecting('metadata.name=a')),
    ]
    expect(first?.type).toBe('ADDED')
    expect(second).toBe(first)
    expect(change.eventFor(selecting('metadata.name=b'))).toBeUndefined()
    expect(change.eventFor(selecting('metadata.name!=b'))).toBe(first)
    expect(change.eventFor(undefined)).toBe(first)
  })

  it('is told anew after its events were forgotten', () => {
    const change = new Change(5, named('a'), named('a'))
    const matcher = selecting('metadata.name=a')
    const before = change.eventFor(matcher)
    change.forgetEvents()
    const after = change.eventFor(matcher)
    expect(after).not.toBe(before)
    expect(after).toMatchObject({ type: 'MODIFIED', object: before?.object })
  })
})
