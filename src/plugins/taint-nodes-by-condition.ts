// TaintNodesByCondition: nothing is scheduled on a new node before it is known to be ready (W-468).
import type { AdmissionPlugin } from '../admission/admission.ts'
import { mapsIn, specOf, textIn, withSpec } from '../admission/members.ts'

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const

export const TAINT_NODES_BY_CONDITION: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  resources: ['nodes'],
  operations: ['CREATE'],
  mutate({ object: node, subresource }) {
    if (node === undefined || subresource !== '') return node
    const taints = mapsIn(specOf(node), 'taints')
    const isTainted = taints.some(
      (taint) => textIn(taint, 'key') === NOT_READY.key && textIn(taint, 'effect') === NOT_READY.effect,
    )
    return isTainted ? node : withSpec(node, { taints: [...taints, NOT_READY] })
  },
}
