// NodeDeclaredFeatureValidator: refuses updates of a pod that need features which its node does not declare.
import { mapOrEmpty, mapsOnly, textOrEmpty, textsOnly } from '../api/members.ts'
import { specOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { equalValues, type ValueMap } from '../api/value.ts'
import { whenKnown } from '../lib/maybe-promise.ts'
import type { AdmissionPlugin } from '../admission/admission.ts'
import type { ObjectReader } from '../admission/object-reader.ts'
import { forbidden } from '../admission/refusal.ts'

export function nodeDeclaredFeatures(nodes: ObjectReader): AdmissionPlugin {
  return {
    name: 'NodeDeclaredFeatureValidator',
    resources: ['pods'],
    operations: ['UPDATE'],
    validate(request, signal) {
      const { object: pod, oldObject, subresource } = request
      if (pod === undefined || oldObject === undefined || (subresource !== '' && subresource !== 'resize')) {
        return undefined
      }
      const name = textOrEmpty(specOf(pod), 'nodeName')
      const needed = name === '' ? [] : featuresFor(oldObject, pod)
      if (needed.length === 0) return undefined
      return whenKnown(nodes.find('', name, signal), (node) => {
        if (node === undefined) throw forbidden(request, `node ${JSON.stringify(name)} not found`)
        const declared = textsOnly(mapOrEmpty(node, 'status'), 'declaredFeatures')
        const missing = needed.filter((feature) => !declared.includes(feature))
        if (missing.length === 0) return
        const where = `which are not available on node ${JSON.stringify(name)}`
        throw forbidden(request, `pod update requires features ${missing.join(', ')} ${where}`)
      })
    },
  }
}

/** The features that the update needs. */
function featuresFor(before: ApiObject, after: ApiObject): readonly string[] {
  const [old, spec] = [specOf(before), specOf(after)]
  const isChanged = (a: ValueMap, b: ValueMap): boolean =>
    !equalValues(mapOrEmpty(a, 'resources'), mapOrEmpty(b, 'resources'))
  const known = new Map(mapsOnly(old, 'initContainers').map((container) => [textOrEmpty(container, 'name'), container]))
  const startsOtherwise = mapsOnly(spec, 'initContainers').some((container) => {
    const same = known.get(textOrEmpty(container, 'name'))
    return textOrEmpty(container, 'restartPolicy') !== 'Always' && same !== undefined && isChanged(same, container)
  })
  return [
    ...(isChanged(old, spec) ? ['InPlacePodLevelResourcesVerticalScaling'] : []),
    ...(startsOtherwise ? ['InPlacePodVerticalScalingInitContainers'] : []),
  ]
}
