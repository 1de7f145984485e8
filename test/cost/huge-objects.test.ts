import { describe, expect, it } from 'vitest'
import type { Value, ValueMap } from '../../src/api/value.ts'
import { applyDefaults } from '../../src/schema/defaults/defaults.ts'
import { validateCreate, validateUpdate } from '../../src/schema/validation/validation.ts'
import { canonicalOf, defaultsOf, rulesOf } from '../corpora/kind-of.ts'
import { outOfProportion } from '../rigs/processor-time.ts'
import { ENABLED_GATES } from '../unit/schema/gates.ts'

const context = { gates: ENABLED_GATES, namespaced: true }
const gvk = { group: '', version: 'v1', kind: 'Pod' }

const list = (size: number, item: (i: number) => Value): Value[] => Array.from({ length: size }, (_, i) => item(i))
const pod = (spec: ValueMap): ValueMap => ({ spec: { containers: [{ name: 'c', image: 'i' }], ...spec } })
const container = (more: ValueMap): ValueMap => pod({ containers: [{ name: 'c', image: 'i', ...more }] })

/** Each a pod of a size that a client could send; what is wrong with it, if anything, is not the point. */
const PODS: Readonly<Record<string, (size: number) => ValueMap>> = {
  labels: (size) => ({
    ...pod({}),
    metadata: { name: 'p', labels: Object.fromEntries(list(size, (i) => [`k${i}`, 'v']) as never[]) },
  }),
  owners: (size) => ({
    ...pod({}),
    metadata: {
      name: 'p',
      ownerReferences: list(size, (i) => ({
        apiVersion: 'v1',
        kind: 'X',
        name: `n${i}`,
        uid: `u${i}`,
        controller: true,
      })),
    },
  }),
  containers: (size) => pod({ containers: list(size, (i) => ({ name: `c${i}`, image: 'i' })) }),
  'environment variables': (size) => container({ env: list(size, (i) => ({ name: `v${i}`, value: '$(v0)' })) }),
  ports: (size) =>
    container({ ports: list(size, (i) => ({ name: `p${i}`, containerPort: i % 65_536, hostPort: i % 65_536 })) }),
  volumes: (size) =>
    pod({
      volumes: list(size, (i) => ({ name: `v${i}`, emptyDir: {} })),
      containers: [{ name: 'c', image: 'i', volumeMounts: list(size, (i) => ({ name: `v${i}`, mountPath: `/${i}` })) }],
    }),
  tolerations: (size) => pod({ tolerations: list(size, (i) => ({ key: `k${i}`, operator: 'Exists' })) }),
  'spread constraints': (size) =>
    pod({
      topologySpreadConstraints: list(size, () => ({
        maxSkew: 1,
        topologyKey: 'k',
        whenUnsatisfiable: 'DoNotSchedule',
      })),
    }),
  'duplicate names': (size) => pod({ containers: list(size, () => ({ name: 'c', image: 'i' })) }),
  'letters in the name of a disk': (size) =>
    pod({ volumes: [{ name: 'v', iscsi: { targetPortal: 'p', iqn: 'iqn.2001-04.a'.repeat(size), lun: 0 } }] }),
}

function judge(members: ValueMap): void {
  const made = canonicalOf(gvk, { metadata: { name: 'p' }, ...members })
  const object = applyDefaults(defaultsOf(gvk), made, { gates: ENABLED_GATES, now: () => '2024-01-01T00:00:00Z' })
  validateCreate(rulesOf(gvk), object, context)
  validateUpdate(
    rulesOf(gvk),
    { object: { ...object, spec: { ...(object['spec'] as ValueMap) } }, stored: object },
    context,
  )
}

describe('a pod with thousands of', () => {
  it.each(Object.entries(PODS))('%s is judged in time', (_, made) => {
    expect(outOfProportion(4_000, (size) => judge(made(size)))).toBe('')
  })
})
