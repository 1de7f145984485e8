// The fields of a pod's specification that belong to features, wherever there is one: in a pod or in a template of pods.
import { type GatedField, gatedFields } from '../gated-field.ts'

const FIELDS: readonly GatedField[] = gatedFields(
  'core_v1.PodSpec',
  'volumes/*/projected/sources/*/clusterTrustBundle',
  'containers/*/lifecycle?/stopSignal',
  'initContainers/*/lifecycle?/stopSignal',
  'schedulingGroup',
  'volumes/*/projected/sources/*/podCertificate',
)

/** `place`: from the object to the specification. */
export function gatedPodFields(place: string): readonly GatedField[] {
  return FIELDS.map(({ gate, path }) => ({ gate, path: [...place.split('/'), ...path] }))
}
