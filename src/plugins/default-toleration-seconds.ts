// DefaultTolerationSeconds: a pod stays for a while, five minutes mostly, on a node that is not ready or cannot be reached,
// unless it says otherwise (W-467).
import type { ValueMap } from '../api/value.ts'
import type { AdmissionPlugin } from '../admission/admission.ts'
import { mapsIn, specOf, textIn, withSpec } from '../admission/members.ts'

export interface TolerationSeconds {
  readonly notReady: number
  readonly unreachable: number
}

export function defaultTolerationSeconds({ notReady, unreachable }: TolerationSeconds): AdmissionPlugin {
  const defaults = [
    { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: notReady },
    { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: unreachable },
  ] as const
  return {
    name: 'DefaultTolerationSeconds',
    resources: ['pods'],
    operations: ['CREATE', 'UPDATE'],
    mutate({ object: pod, subresource }) {
      if (pod === undefined || subresource !== '') return pod
      const given = mapsIn(specOf(pod), 'tolerations')
      const missing = defaults.filter(({ key }) => !given.some((toleration) => tolerates(toleration, key)))
      return missing.length === 0 ? pod : withSpec(pod, { tolerations: [...given, ...missing] })
    },
  }
}

function tolerates(toleration: ValueMap, taint: string): boolean {
  const [key, effect] = [textIn(toleration, 'key'), textIn(toleration, 'effect')]
  return (key === '' || key === taint) && (effect === '' || effect === 'NoExecute')
}
