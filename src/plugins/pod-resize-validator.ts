// PodResizeValidator: a resized pod must fit the allocatable resources of its node (W-478).
import type { Node, Pod } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import { own } from '../api/value.ts'
import { compareQuantities, type Quantity, quantityOf, scaledValue } from '../lib/quantity.ts'
import type { AdmissionPlugin } from '../admission/admission.ts'
import { amountsOf } from '../api/amounts.ts'
import type { ObjectReader } from '../admission/object-reader.ts'
import { podAmounts, withOverhead } from '../api/pod-resources.ts'
import { forbidden } from '../admission/refusal.ts'

const NONE = quantityOf(0, 'decimalSI')
/** The power of ten of the unit in messages: millicores for cpu, bytes for memory. */
const SCALES: Readonly<Record<string, number>> = { cpu: -3, memory: 0 }

export function podResizeValidator(nodes: ObjectReader<Node>): AdmissionPlugin {
  return {
    name: 'PodResizeValidator',
    resources: ['pods'],
    operations: ['UPDATE'],
    async validate(request, signal) {
      const { object: pod, oldObject, subresource } = request
      if (!isKind(pod, 'core_v1.Pod') || !isKind(oldObject, 'core_v1.Pod') || subresource !== 'resize') return
      const { nodeName: name = '' } = pod.spec
      if (name === '' || pod.metadata.generation === oldObject.metadata.generation) return
      const node = await nodes.find('', name, signal)
      if (node === undefined) throw forbidden(request, `node ${JSON.stringify(name)} not found`)
      const system = own(node.metadata.labels ?? {}, 'kubernetes.io/os') ?? ''
      if (system !== '' && system !== 'linux') {
        const where = `node ${JSON.stringify(node.metadata.name)} is ${JSON.stringify(system)}`
        throw forbidden(request, `pod resize is only supported on linux nodes, ${where}`, [
          { reason: 'UnsupportedPlatform' },
        ])
      }
      const shortages = shortagesOf(pod, node)
      if (shortages.length > 0) {
        throw forbidden(request, `node didn't have enough allocatable resources: ${shortages.join('; ')}`, [
          { reason: 'NodeCapacity' },
        ])
      }
    },
  }
}

function shortagesOf({ spec }: Pod, node: Node): readonly string[] {
  const requests = withOverhead(podAmounts(spec, 'requests'), spec, 'requests')
  const allocatable = amountsOf(node.status.allocatable)
  return Object.entries(SCALES).flatMap(([name, scale]) => {
    const [wanted, there]: readonly Quantity[] = [requests.get(name) ?? NONE, allocatable.get(name) ?? NONE]
    if (compareQuantities(wanted!, there!) <= 0) return []
    return [`${name}, requested: ${scaledValue(wanted!, scale)}, allocatable: ${scaledValue(there!, scale)}`]
  })
}
