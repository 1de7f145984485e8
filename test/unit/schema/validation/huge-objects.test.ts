import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../../src/api/object.ts'
import type { Value, ValueMap } from '../../../../src/api/value.ts'
import { applyDefaults } from '../../../../src/schema/defaults/defaults.ts'
import { validateCreate, validateUpdate } from '../../../../src/schema/validation/validation.ts'
import { ENABLED_GATES } from '../gates.ts'

const context = { gates: ENABLED_GATES, namespaced: true }
const SIZE = 10_000
const MAX_MILLISECONDS = 400

const list = (item: (i: number) => Value): Value[] => Array.from({ length: SIZE }, (_, i) => item(i))
const pod = (spec: ValueMap): ValueMap => ({ spec: { containers: [{ name: 'c', image: 'i' }], ...spec } })
const container = (more: ValueMap): ValueMap => pod({ containers: [{ name: 'c', image: 'i', ...more }] })

/** Each a pod that a client could send; what is wrong with it, if anything, is not the point. */
const PODS: Readonly<Record<string, ValueMap>> = {
  labels: { ...pod({}), metadata: { name: 'p', labels: Object.fromEntries(list((i) => [`k${i}`, 'v']) as never[]) } },
  owners: {
    ...pod({}),
    metadata: {
      name: 'p',
      ownerReferences: list((i) => ({ apiVersion: 'v1', kind: 'X', name: `n${i}`, uid: `u${i}`, controller: true })),
    },
  },
  containers: pod({ containers: list((i) => ({ name: `c${i}`, image: 'i' })) }),
  'environment variables': container({ env: list((i) => ({ name: `v${i}`, value: '$(v0)' })) }),
  ports: container({ ports: list((i) => ({ name: `p${i}`, containerPort: i % 65_536, hostPort: i % 65_536 })) }),
  volumes: pod({
    volumes: list((i) => ({ name: `v${i}`, emptyDir: {} })),
    containers: [{ name: 'c', image: 'i', volumeMounts: list((i) => ({ name: `v${i}`, mountPath: `/${i}` })) }],
  }),
  tolerations: pod({ tolerations: list((i) => ({ key: `k${i}`, operator: 'Exists' })) }),
  'spread constraints': pod({
    topologySpreadConstraints: list(() => ({ maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule' })),
  }),
  'duplicate names': pod({ containers: list(() => ({ name: 'c', image: 'i' })) }),
  'letters in the name of a disk': pod({
    volumes: [{ name: 'v', iscsi: { targetPortal: 'p', iqn: 'iqn.2001-04.a'.repeat(SIZE), lun: 0 } }],
  }),
}

/** The processor time of this thread: a busy machine does not matter. */
function milliseconds(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

describe('a pod with ten thousand', () => {
  it.each(Object.entries(PODS))('%s is judged in time', (_, members) => {
    const gvk = { group: '', version: 'v1', kind: 'Pod' }
    const made = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, ...members } as ApiObject
    const spent = milliseconds(() => {
      const object = applyDefaults(gvk, made, { gates: ENABLED_GATES, now: () => '2024-01-01T00:00:00Z' })
      validateCreate(gvk, object, context)
      validateUpdate(gvk, { object: { ...object, spec: { ...(object['spec'] as ValueMap) } }, stored: object }, context)
    })
    expect(spent).toBeLessThan(MAX_MILLISECONDS)
  })
})
