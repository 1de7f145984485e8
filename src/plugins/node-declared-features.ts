// NodeDeclaredFeatureValidator: refuses updates of a pod that need features which its node does not declare.
import type { Container, Node, Pod, PodSpec } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import { equalValues } from '../api/value.ts'
import { whenKnown } from '../lib/maybe-promise.ts'
import type { AdmissionPlugin } from '../admission/admission.ts'
import type { ObjectReader } from '../admission/object-reader.ts'
import { forbidden } from '../admission/refusal.ts'

export function nodeDeclaredFeatures(nodes: ObjectReader<Node>): AdmissionPlugin {
  return {
    name: 'NodeDeclaredFeatureValidator',
    resources: ['pods'],
    operations: ['UPDATE'],
    validate(request, signal) {
      const { object: pod, oldObject, subresource } = request
      if (subresource !== '' && subresource !== 'resize') return undefined
      if (!isKind(pod, 'core_v1.Pod') || !isKind(oldObject, 'core_v1.Pod')) return undefined
      const { nodeName: name = '' } = pod.spec
      const needed = name === '' ? [] : featuresFor(oldObject, pod)
      if (needed.length === 0) return undefined
      return whenKnown(nodes.find('', name, signal), (node) => {
        if (node === undefined) throw forbidden(request, `node ${JSON.stringify(name)} not found`)
        const { declaredFeatures: declared = [] } = node.status
        const missing = needed.filter((feature) => !declared.includes(feature))
        if (missing.length === 0) return
        const where = `which are not available on node ${JSON.stringify(name)}`
        throw forbidden(request, `pod update requires features ${missing.join(', ')} ${where}`)
      })
    },
  }
}

/** The features that the update needs. */
function featuresFor({ spec: old }: Pod, { spec }: Pod): readonly string[] {
  const isChanged = (a: PodSpec | Container, b: PodSpec | Container): boolean =>
    !equalValues(a.resources ?? {}, b.resources ?? {})
  const known = new Map(old.initContainers?.map((container) => [container.name, container]))
  const startsOtherwise = (spec.initContainers ?? []).some((container) => {
    const same = known.get(container.name)
    return container.restartPolicy !== 'Always' && same !== undefined && isChanged(same, container)
  })
  return [
    ...(isChanged(old, spec) ? ['InPlacePodLevelResourcesVerticalScaling'] : []),
    ...(startsOtherwise ? ['InPlacePodVerticalScalingInitContainers'] : []),
  ]
}
