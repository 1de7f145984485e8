// The fields of pod specs that depend on feature gates, in pods and pod templates.
import { type GatedField, gatedFields } from '../gated-field.ts'

const FIELDS: readonly GatedField[] = gatedFields(
  'core_v1.PodSpec',
  'volumes/*/projected/sources/*/clusterTrustBundle',
  'containers/*/lifecycle?/stopSignal',
  'initContainers/*/lifecycle?/stopSignal',
  'schedulingGroup',
  'volumes/*/projected/sources/*/podCertificate',
)

/** `place`: the path from the object to the pod spec. */
export function gatedPodFields(place: string): readonly GatedField[] {
  return FIELDS.map(({ gate, path }) => ({ gate, path: [...place.split('/'), ...path] }))
}
