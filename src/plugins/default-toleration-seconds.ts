// DefaultTolerationSeconds: adds tolerations for nodes that are not ready or unreachable, for five minutes by default (W-467).
import { mapsOnly, textOrEmpty } from '../api/members.ts'
import { specOf, withSpec } from '../api/object-members.ts'
import type { ValueMap } from '../api/value.ts'
import type { AdmissionPlugin } from '../admission/admission.ts'

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
      const given = mapsOnly(specOf(pod), 'tolerations')
      const missing = defaults.filter(({ key }) => !given.some((toleration) => tolerates(toleration, key)))
      return missing.length === 0 ? pod : withSpec(pod, { tolerations: [...given, ...missing] })
    },
  }
}

function tolerates(toleration: ValueMap, taint: string): boolean {
  const [key, effect] = [textOrEmpty(toleration, 'key'), textOrEmpty(toleration, 'effect')]
  return (key === '' || key === taint) && (effect === '' || effect === 'NoExecute')
}
