// The fields of pod specs that depend on feature gates, in pods and pod templates.
import { type GatedField, gatedFields } from '../gated-field.ts'

const CONTAINERS = ['containers', 'initContainers', 'ephemeralContainers'] as const
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const

const FIELDS: readonly GatedField[] = gatedFields(
  'core_v1.PodSpec',
  'volumes/*/projected/sources/*/clusterTrustBundle',
  'containers/*/lifecycle?/stopSignal',
  'initContainers/*/lifecycle?/stopSignal',
  'schedulingGroup',
  'volumes/*/projected/sources/*/podCertificate',
  'evictionResponders',
  'volumes/*/emptyDir/mode',
  ...CONTAINERS.flatMap((list) => [
    `${list}/*/volumeMounts/*/bindMountOptions`,
    ...PROBES.flatMap((probe) => [`${list}/*/${probe}/httpGet/protocol`, `${list}/*/${probe}/grpc/mode`]),
  ]),
  ...['configMap', 'downwardAPI', 'secret'].flatMap((source) => [
    `volumes/*/${source}/defaultUser`,
    `volumes/*/${source}/items/*/user`,
    `volumes/*/projected/sources/*/${source}/items/*/user`,
  ]),
  'volumes/*/projected/defaultUser',
  ...['clusterTrustBundle', 'podCertificate', 'serviceAccountToken'].map(
    (source) => `volumes/*/projected/sources/*/${source}/user`,
  ),
)

/** `place`: the path from the object to the pod spec. */
export function gatedPodFields(place: string): readonly GatedField[] {
  return FIELDS.map(({ gate, path }) => ({ gate, path: [...place.split('/'), ...path] }))
}
