// PodResizeValidator: a resized pod has to fit the allocatable resources of its node (W-478).
import { mapOrEmpty, numberOrAbsent, textOrEmpty } from '../api/members.ts'
import { labelsOf, metaText, specOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { compareQuantities, type Quantity, quantityOf, scaledValue } from '../lib/quantity.ts'
import type { AdmissionPlugin } from '../admission/admission.ts'
import { amountsIn } from './amounts.ts'
import type { ObjectReader } from '../admission/object-reader.ts'
import { podAmounts, withOverhead } from './pod-resources.ts'
import { forbidden } from '../admission/refusal.ts'

const NONE = quantityOf(0, 'decimalSI')
/** The unit that messages count in: millicores, bytes. */
const SCALES: Readonly<Record<string, number>> = { cpu: -3, memory: 0 }

export function podResizeValidator(nodes: ObjectReader): AdmissionPlugin {
  return {
    name: 'PodResizeValidator',
    resources: ['pods'],
    operations: ['UPDATE'],
    async validate(request, signal) {
      const { object: pod, oldObject, subresource } = request
      if (pod === undefined || oldObject === undefined || subresource !== 'resize') return
      const name = textOrEmpty(specOf(pod), 'nodeName')
      if (name === '' || generationOf(pod) === generationOf(oldObject)) return
      const node = await nodes.find('', name, signal)
      if (node === undefined) throw forbidden(request, `node ${JSON.stringify(name)} not found`)
      const system = textOrEmpty(labelsOf(node), 'kubernetes.io/os')
      if (system !== '' && system !== 'linux') {
        const where = `node ${JSON.stringify(metaText(node, 'name'))} is ${JSON.stringify(system)}`
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

function generationOf(pod: ApiObject): number | undefined {
  return numberOrAbsent(mapOrEmpty(pod, 'metadata'), 'generation')
}

function shortagesOf(pod: ApiObject, node: ApiObject): readonly string[] {
  const spec = specOf(pod)
  const requests = withOverhead(podAmounts(spec, 'requests'), spec, 'requests')
  const allocatable = amountsIn(mapOrEmpty(node, 'status'), 'allocatable')
  return Object.entries(SCALES).flatMap(([name, scale]) => {
    const [wanted, there]: readonly Quantity[] = [requests.get(name) ?? NONE, allocatable.get(name) ?? NONE]
    if (compareQuantities(wanted!, there!) <= 0) return []
    return [`${name}, requested: ${scaledValue(wanted!, scale)}, allocatable: ${scaledValue(there!, scale)}`]
  })
}
