// The fields of a pod's specification that belong to features, wherever there is one: in a pod or in a template of pods.
import type { GatedField } from '../gated-field.ts'

const FIELDS: readonly (readonly [gate: string, path: string])[] = [
  ['ClusterTrustBundleProjection', 'volumes/*/projected/sources/*/clusterTrustBundle'],
  ['ContainerStopSignals', 'containers/*/lifecycle?/stopSignal'],
  ['ContainerStopSignals', 'initContainers/*/lifecycle?/stopSignal'],
  ['GenericWorkload', 'schedulingGroup'],
  ['PodCertificateRequest', 'volumes/*/projected/sources/*/podCertificate'],
]

/** `place`: from the object to the specification. */
export function gatedPodFields(place: string): readonly GatedField[] {
  return FIELDS.map(([gate, path]) => ({ gate, path: [...place.split('/'), ...path.split('/')] }))
}
