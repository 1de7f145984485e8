// TaintNodesByCondition: taints new nodes as not ready (W-468).
import type { AdmissionPlugin } from '../admission/admission.ts'
import { isKind } from '../api/kind-guard.ts'
import { withSpec } from '../api/object-members.ts'

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const

export const TAINT_NODES_BY_CONDITION: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  resources: ['nodes'],
  operations: ['CREATE'],
  mutate({ object: node, subresource }) {
    if (!isKind(node, 'core_v1.Node') || subresource !== '') return node
    const { taints = [] } = node.spec
    const isTainted = taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect)
    return isTainted ? node : withSpec(node, { taints: [...taints, NOT_READY] })
  },
}
