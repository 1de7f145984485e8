// The defaults of pod specs, in pods and pod templates.
import type {
  Container,
  DownwardAPIVolumeFile,
  HTTPGetAction,
  LifecycleHandler,
  ObjectMeta,
  PodSpec,
  PodTemplateSpec,
  Probe,
  Volume,
} from '../../../api/gen/kinds.ts'
import type { MapOf } from '../../../api/value.ts'
import {
  absent,
  always,
  blank,
  both,
  each,
  type Fields,
  type OwnRule,
  within,
  withoutMember,
  zero,
} from '../../../schema/defaults/rule.ts'
import { rounded, roundedResources } from '../resource-list.ts'
import { imageTag } from './image-reference.ts'

const FILE_MODE = 0o644

const httpGet = within<HTTPGetAction>({ path: blank('/'), scheme: blank('HTTP') })

const probe = within<Probe>({
  timeoutSeconds: zero(1),
  periodSeconds: zero(10),
  successThreshold: zero(1),
  failureThreshold: zero(3),
  httpGet,
  grpc: within({ service: absent('') }),
})

const handler = within<LifecycleHandler>({ httpGet })

/** `latest` may change and is always pulled. */
function pullPolicy(image = ''): string {
  return imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent'
}

const containers = each<readonly Container[], unknown>(
  within({
    imagePullPolicy: (given, _, { image }) => given ?? pullPolicy(image),
    terminationMessagePath: blank('/dev/termination-log'),
    terminationMessagePolicy: blank('File'),
    ports: each(within({ protocol: blank('TCP') })),
    env: each(
      within({
        valueFrom: within({
          fieldRef: within({ apiVersion: blank('v1') }),
          fileKeyRef: within({ optional: absent(false) }),
        }),
      }),
    ),
    resources: roundedResources,
    livenessProbe: probe,
    readinessProbe: probe,
    startupProbe: probe,
    lifecycle: within({ postStart: handler, preStop: handler }),
  }),
)

/** Sources that pods and persistent volumes have in common. */
export const SHARED_SOURCES: Fields<Pick<Volume, 'hostPath' | 'iscsi' | 'rbd' | 'azureDisk' | 'scaleIO'>> = {
  hostPath: within({ type: absent('') }),
  iscsi: within({ iscsiInterface: blank('default') }),
  rbd: within({ pool: blank('rbd'), user: blank('admin'), keyring: blank('/etc/ceph/keyring') }),
  azureDisk: within({
    cachingMode: absent('ReadWrite'),
    fsType: absent('ext4'),
    readOnly: absent(false),
    kind: absent('Shared'),
  }),
  scaleIO: within({ storageMode: blank('ThinProvisioned'), fsType: blank('xfs') }),
}

const downwardItems = each<readonly DownwardAPIVolumeFile[], unknown>(
  within({ fieldRef: within({ apiVersion: blank('v1') }) }),
)

const sources = within<Volume>({
  image: within({ pullPolicy: (given, _, { reference }) => given ?? pullPolicy(reference) }),
  ...SHARED_SOURCES,
  secret: within({ defaultMode: absent(FILE_MODE) }),
  configMap: within({ defaultMode: absent(FILE_MODE) }),
  downwardAPI: within({ defaultMode: absent(FILE_MODE), items: downwardItems }),
  projected: within({
    defaultMode: absent(FILE_MODE),
    sources: each(
      within({
        downwardAPI: within({ items: downwardItems }),
        serviceAccountToken: within({ expirationSeconds: absent(3600) }),
      }),
    ),
  }),
  ephemeral: within({
    volumeClaimTemplate: within({ spec: always({ volumeMode: absent('Filesystem'), resources: roundedResources }) }),
  }),
})

/** A volume without a source is an `emptyDir`. */
const withSource: OwnRule<Volume> = (given) =>
  given === undefined || Object.keys(given).some((name) => name !== 'name') ? given : { ...given, emptyDir: {} }

/** `serviceAccount` is the old name of `serviceAccountName`, which takes precedence. */
const bothAccountNames: OwnRule<PodSpec> = (given) => {
  const name = given?.serviceAccountName ?? given?.serviceAccount
  if (given === undefined || name === undefined || (name === given.serviceAccount && name === given.serviceAccountName))
    return given
  return { ...given, serviceAccountName: name, serviceAccount: name }
}

const FIELDS: Fields<PodSpec> = {
  dnsPolicy: blank('ClusterFirst'),
  restartPolicy: blank('Always'),
  securityContext: absent({}),
  terminationGracePeriodSeconds: absent(30),
  schedulerName: blank('default-scheduler'),
  volumes: each(both(withSource, sources)),
  initContainers: containers,
  containers,
  ephemeralContainers: containers,
  overhead: rounded,
  resources: roundedResources,
}

export const podSpec: OwnRule<PodSpec> = both<PodSpec, unknown>(always(FIELDS), bothAccountNames)

const RETIRED_ANNOTATIONS: readonly string[] = [
  'pod.beta.kubernetes.io/init-containers',
  'pod.alpha.kubernetes.io/init-containers',
  'pod.beta.kubernetes.io/init-container-statuses',
  'pod.alpha.kubernetes.io/init-container-statuses',
]

/** Annotations that were replaced by fields long ago are dropped. */
export function withoutRetired(given: MapOf<string> | undefined): MapOf<string> | undefined {
  if (given === undefined || !RETIRED_ANNOTATIONS.some((name) => Object.hasOwn(given, name))) return given
  const kept = RETIRED_ANNOTATIONS.reduce(withoutMember, given)
  return Object.keys(kept).length === 0 ? undefined : kept
}

export const podMetadata = within<ObjectMeta>({ annotations: withoutRetired })

export const podTemplate: Fields<PodTemplateSpec> = { metadata: podMetadata, spec: podSpec }
