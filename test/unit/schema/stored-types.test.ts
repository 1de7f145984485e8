// Whatever is stored, an object has the types that `api/gen/kinds.ts` promises once it is parsed.
import { describe, expect, it } from 'vitest'
import type { Value, ValueMap } from '../../../src/api/value.ts'
import { decodeObject } from '../../../src/schema/decode.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import { withRightTypes } from '../../../src/schema/stored-types.ts'
import type { ObjectShape, Shape } from '../../../src/schema/table.ts'
import { everyKind } from '../../corpora/every-kind.ts'
import { mutatedSamples } from '../../corpora/mutated-samples.ts'

const schema = loadBuiltInSchema()
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers: [] }, status: {} }

function pod(spec: ValueMap): Value | undefined {
  return withRightTypes({ ...POD, spec: { containers: [], ...spec } })['spec']
}

describe('the types of what is stored', () => {
  it('are right already: the object is the very one', () => {
    const stored: ValueMap = { ...POD, spec: { containers: [{ name: 'a', resources: {} }] } }
    expect(withRightTypes(stored)).toBe(stored)
  })

  it.each<[string, ValueMap, ValueMap]>([
    ['a field', { hostname: 5, priority: 'x', hostNetwork: 1 }, {}],
    ['null', { hostname: null, securityContext: null, volumes: null }, {}],
    ['an object', { securityContext: 'x', affinity: [] }, {}],
    ['a list', { tolerations: { a: 1 } }, {}],
    ['a map', { nodeSelector: ['x'] }, {}],
    [
      'an item',
      { containers: [5, { name: 'a' }] },
      {
        containers: [
          { name: '', resources: {} },
          { name: 'a', resources: {} },
        ],
      },
    ],
    ['an entry', { nodeSelector: { a: 1, b: 'b' } }, { nodeSelector: { a: '', b: 'b' } }],
    [
      'a field deep inside',
      { containers: [{ name: 'a', resources: { limits: 1 } }] },
      { containers: [{ name: 'a', resources: {} }] },
    ],
    ['a field that is always shown', { containers: 5 }, { containers: null }],
    ['a name that the kind does not have', { later: { a: 1 } }, { later: { a: 1 } }],
  ])('are mended: %s', (_, spec, expected) => {
    expect(pod(spec)).toEqual({ containers: [], ...expected })
  })

  it('are those of other kinds where the kind is none of ours', () => {
    const custom = { apiVersion: 'example.com/v1', kind: 'Status', metadata: {}, status: { a: 1 } }
    expect(withRightTypes(custom)).toBe(custom)
  })

  it.each(everyKind().map(({ object }) => [`${object.apiVersion} ${object.kind}`, object] as const))(
    'are what decoding takes, whatever stands in %s',
    (_, sample) => {
      const gvk = { ...partsOf(sample.apiVersion), kind: sample.kind }
      const kind = schema.kind(gvk)
      if (kind === undefined) return
      for (const { name, value } of mutatedSamples(sample, 1, 200)) {
        const mended = withRightTypes({ ...value, metadata: {} })
        expect(withRightTypes(mended), name).toBe(mended)
        expect(faultIn(mended, kind.shape), name).toBe('')
      }
    },
  )

  it('are promised under names that no object inherits', () => {
    const names = [...schema.kinds()].flatMap(({ shape }) => [...namesIn(shape, new Set())])
    expect(names.length).toBeGreaterThan(1000)
    expect(names.filter((name) => name in Object.prototype)).toEqual([])
  })
})

function partsOf(apiVersion: string): { group: string; version: string } {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return { group, version }
}

/** Texts that are no times or quantities are not looked at. */
function faultIn(object: ValueMap, shape: ObjectShape): string {
  try {
    decodeObject(object, shape)
    return ''
  } catch (error) {
    const { message } = error as Error
    return message.startsWith('json: cannot unmarshal') && !message.includes('unmarshal number') ? message : ''
  }
}

function* namesIn(shape: Shape, seen: Set<Shape>): Generator<string> {
  if (seen.has(shape)) return
  seen.add(shape)
  if (shape.kind === 'list') yield* namesIn(shape.item, seen)
  if (shape.kind === 'map') yield* namesIn(shape.value, seen)
  if ('schema' in shape && shape.schema !== undefined) yield* namesIn(shape.schema, seen)
  if (shape.kind !== 'object') return
  for (const field of shape.fields) {
    yield field.name
    yield* namesIn(field.shape, seen)
  }
}
