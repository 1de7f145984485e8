// PodTopologyLabels: copies the topology labels of the node to its pods (W-477).
import { isKind } from '../api/kind-guard.ts'
import { labelsOf, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { own } from '../api/value.ts'
import { whenKnown } from '../lib/maybe-promise.ts'
import type { AdmissionPlugin } from '../admission/admission.ts'
import type { ObjectReader } from '../admission/object-reader.ts'

const LABELS = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'] as const

export function podTopologyLabels(nodes: ObjectReader): AdmissionPlugin {
  return {
    name: 'PodTopologyLabels',
    resources: ['pods'],
    operations: ['CREATE'],
    mutate({ object, subresource }, signal) {
      if (object === undefined) return object
      const name = nodeOf(object, subresource)
      if (name === undefined || name === '') return object
      return whenKnown(nodes.find('', name, signal), (node) => (node === undefined ? object : withLabels(object, node)))
    },
  }
}

/** The node, from the target of a binding or the spec of a new pod. */
function nodeOf(object: ApiObject, subresource: string): string | undefined {
  if (subresource === '') return isKind(object, 'core_v1.Pod') ? object.spec.nodeName : undefined
  if (subresource !== 'binding' || !isKind(object, 'core_v1.Binding')) return undefined
  return object.target.kind === 'Node' ? object.target.name : undefined
}

function withLabels(object: ApiObject, node: ApiObject): ApiObject {
  const there = labelsOf(node)
  const copied = LABELS.flatMap((label) => {
    const value = own(there, label)
    return value === undefined ? [] : [[label, value] as const]
  })
  if (copied.length === 0) return object
  return withMeta(object, { labels: { ...labelsOf(object), ...Object.fromEntries(copied) } })
}
