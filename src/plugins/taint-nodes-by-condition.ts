// TaintNodesByCondition: taints new nodes as not ready (W-468).
import type { AdmissionPlugin } from '../admission/admission.ts'
import { mapsOnly, textOrEmpty } from '../api/members.ts'
import { specOf, withSpec } from '../api/object-members.ts'

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const

export const TAINT_NODES_BY_CONDITION: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  resources: ['nodes'],
  operations: ['CREATE'],
  mutate({ object: node, subresource }) {
    if (node === undefined || subresource !== '') return node
    const taints = mapsOnly(specOf(node), 'taints')
    const isTainted = taints.some(
      (taint) => textOrEmpty(taint, 'key') === NOT_READY.key && textOrEmpty(taint, 'effect') === NOT_READY.effect,
    )
    return isTainted ? node : withSpec(node, { taints: [...taints, NOT_READY] })
  },
}
