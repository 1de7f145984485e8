// Decoding what was made of a canonical object passes over the parts that the two share; it may not give anything else by it.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Value, ValueMap } from '../../../src/api/value.ts'
import { isList, isMap } from '../../../src/api/value.ts'
import { decodeChanged, decodeObject } from '../../../src/schema/decode.ts'
import { applyDefaults } from '../../../src/schema/defaults/defaults.ts'
import { defaultsOf } from '../../corpora/kind-of.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'

const POD = loadBuiltInSchema().shape('core_v1.Pod')!
const KIND = { group: '', version: 'v1', kind: 'Pod' }
const CONTEXT = { gates: new Set<string>(), now: () => '2030-01-01T00:00:00Z' }

const container = (name: string): ValueMap => ({
  name,
  image: 'a',
  env: [
    { name: 'A', value: 'a' },
    { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ],
  ports: [{ containerPort: 1 }],
  resources: { limits: { cpu: '1', memory: '1Gi' } },
})
const LIVE = defaulted({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'a', labels: { a: 'b' }, annotations: { c: 'd' } },
  spec: { containers: [container('one'), container('two')], tolerations: [{ key: 'a', operator: 'Exists' }] },
  status: { phase: 'Running', podIPs: [{ ip: '10.0.0.1' }] },
})

function defaulted(pod: ValueMap, stored?: ValueMap): ValueMap {
  const decoded = decodeObject(pod, POD).value
  return applyDefaults(defaultsOf(KIND), decoded as never, stored === undefined ? CONTEXT : { ...CONTEXT, stored })
}

/** The value with one part replaced; `steps` say which way to go at each fork. */
function replaced(value: Value, steps: readonly number[], part: Value): Value {
  const [step, ...rest] = steps
  if (step === undefined) return part
  if (isList(value) && value.length > 0) {
    const at = step % value.length
    return value.map((item, i) => (i === at ? replaced(item, rest, part) : item))
  }
  if (!isMap(value) || Object.keys(value).length === 0) return part
  const names = Object.keys(value)
  const name = names[step % names.length]!
  return { ...value, [name]: replaced(value[name]!, rest, part) }
}

const PARTS = fc.constantFrom<Value>(
  null,
  '',
  'x',
  0,
  1,
  true,
  {},
  [],
  ['x'],
  { x: {} },
  { name: 'x' },
  [{ name: 'x' }],
  {
    cpu: '1000m',
  },
)
const changes = fc.array(fc.tuple(fc.array(fc.nat(20), { minLength: 1, maxLength: 7 }), PARTS), {
  minLength: 1,
  maxLength: 3,
})

function outcome(decode: () => unknown): unknown {
  try {
    return decode()
  } catch (error) {
    return (error as Error).message
  }
}

describe('an object that was changed in places', () => {
  it('is decoded as if nothing were known of what it was', () => {
    fc.assert(
      fc.property(changes, (all) => {
        const changed = all.reduce<Value>((pod, [steps, part]) => replaced(pod, steps, part), LIVE) as ValueMap
        const anew = outcome(() => decodeObject(changed, POD))
        expect(outcome(() => decodeChanged(changed, POD, LIVE))).toStrictEqual(anew)
      }),
      { numRuns: 500 },
    )
  })

  it('has the defaults that it would have if nothing were stored', () => {
    fc.assert(
      fc.property(changes, (all) => {
        const changed = all.reduce<Value>((pod, [steps, part]) => replaced(pod, steps, part), LIVE) as ValueMap
        expect(outcome(() => defaulted(changed, LIVE))).toStrictEqual(outcome(() => defaulted(changed)))
      }),
      { numRuns: 300 },
    )
  })

  it('keeps the very parts that were not changed', () => {
    const changed = replaced(LIVE, [3, 0, 0, 1], 'b') as ValueMap
    const decoded = decodeChanged(changed, POD, LIVE).value
    const containersOf = (pod: ValueMap): readonly Value[] =>
      (pod['spec'] as ValueMap)['containers'] as readonly Value[]
    expect(containersOf(decoded)[0]).not.toEqual(containersOf(LIVE)[0])
    expect(containersOf(decoded)[1]).toBe(containersOf(LIVE)[1])
    expect(decoded['status']).toBe(LIVE['status'])
  })
})
