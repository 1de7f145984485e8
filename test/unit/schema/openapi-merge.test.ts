import { describe, expect, it } from 'vitest'
import type { Value, ValueMap } from '../../../src/api/value.ts'
import { withRemoteDocument } from '../../../src/schema/openapi-merge.ts'

function merged(theirs: Value): ValueMap {
  const steps = withRemoteDocument(OURS, theirs, PREFIX)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

const reference = (name: string): ValueMap => ({ $ref: `#/definitions/${name}` })
const OURS: ValueMap = {
  swagger: '2.0',
  paths: { '/api': {}, '/version': {} },
  definitions: { Shared: { type: 'string' }, Ours: { type: 'object' } },
}
const PREFIX = '/apis/g/v1'

describe('the document of another server', () => {
  it('adds the paths of its version and what they speak of, and nothing else', () => {
    const theirs = {
      paths: { '/apis/g/v1/a': { get: reference('A') }, '/apis/g/v10/b': { get: reference('B') }, '/api': { get: 1 } },
      definitions: { A: { properties: { c: reference('C') } }, B: {}, C: { type: 'string' }, Unused: {} },
    }
    expect(merged(theirs)).toEqual({
      swagger: '2.0',
      paths: { '/api': {}, '/apis/g/v1/a': { get: reference('A') }, '/version': {} },
      definitions: {
        A: { properties: { c: reference('C') } },
        C: { type: 'string' },
        Ours: { type: 'object' },
        Shared: { type: 'string' },
      },
    })
  })

  it('shares what it means alike, and renames what it means otherwise', () => {
    const theirs = {
      paths: { '/apis/g/v1': { get: [reference('Shared'), reference('Ours')] } },
      definitions: { Shared: { type: 'string' }, Ours: { items: reference('Ours') } },
    }
    const { paths, definitions } = merged(theirs)
    expect(paths).toHaveProperty(['/apis/g/v1', 'get'], [reference('Shared'), reference('Ours_v2')])
    expect(definitions).toEqual({
      Ours: { type: 'object' },
      Ours_v2: { items: reference('Ours_v2') },
      Shared: { type: 'string' },
    })
  })

  it.each([null, [], 'x', {}, { paths: [], definitions: 5 }, { paths: { '/apis/g/v1/a': reference('Nowhere') } }])(
    'may be anything: %j',
    (theirs) => {
      expect(merged(theirs)).toMatchObject(OURS)
    },
  )
})
