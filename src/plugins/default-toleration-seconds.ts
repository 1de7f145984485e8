// DefaultTolerationSeconds: adds tolerations for nodes that are not ready or unreachable, for five minutes by default (W-467).
import type { Toleration } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import { withSpec } from '../api/object-members.ts'
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
      if (!isKind(pod, 'core_v1.Pod') || subresource !== '') return pod
      const { tolerations: given = [] } = pod.spec
      const missing = defaults.filter(({ key }) => !given.some((toleration) => tolerates(toleration, key)))
      return missing.length === 0 ? pod : withSpec(pod, { tolerations: [...given, ...missing] })
    },
  }
}

function tolerates({ key, effect = 'NoExecute' }: Toleration, taint: string): boolean {
  return (key === undefined || key === taint) && effect === 'NoExecute'
}
