// DefaultTolerationSeconds: a pod stays five minutes on a node that is not ready or cannot be reached, unless it says
// otherwise (W-467).
import type { ValueMap } from '../api/value.ts'
import type { AdmissionPlugin } from './admission.ts'
import { mapsIn, specOf, textIn, withSpec } from './members.ts'

const SECONDS = 300
const TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'] as const

export const DEFAULT_TOLERATION_SECONDS: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  resources: ['pods'],
  operations: ['CREATE', 'UPDATE'],
  mutate({ object: pod, subresource }) {
    if (pod === undefined || subresource !== '') return pod
    const tolerations = mapsIn(specOf(pod), 'tolerations')
    const missing = TAINTS.filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)))
    if (missing.length === 0) return pod
    const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS }))
    return withSpec(pod, { tolerations: [...tolerations, ...added] })
  },
}

function tolerates(toleration: ValueMap, taint: string): boolean {
  const [key, effect] = [textIn(toleration, 'key'), textIn(toleration, 'effect')]
  return (key === '' || key === taint) && (effect === '' || effect === 'NoExecute')
}
