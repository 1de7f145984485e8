// The group-versions that clients may know, even if this server does not serve them. OpenAPI lists the kinds that belong to every group
// under each of these group-versions.
import { type ApiLevel, isAtLevel, type LevelSpan } from '../api/level.ts'
import { formatGroupVersion, type GroupVersion } from '../api/object.ts'

const KNOWN: Readonly<Record<string, string>> = {
  '': 'v1',
  'admission.k8s.io': 'v1 v1beta1',
  'admissionregistration.k8s.io': 'v1 v1alpha1 v1beta1',
  'apiextensions.k8s.io': 'v1 v1beta1',
  'apiregistration.k8s.io': 'v1 v1beta1',
  apps: 'v1 v1beta1 v1beta2',
  'authentication.k8s.io': 'v1 v1alpha1 v1beta1',
  'authorization.k8s.io': 'v1 v1beta1',
  autoscaling: 'v1 v2',
  batch: 'v1 v1beta1',
  'certificates.k8s.io': 'v1 v1alpha1 v1beta1',
  'coordination.k8s.io': 'v1 v1alpha2 v1beta1',
  'discovery.k8s.io': 'v1 v1beta1',
  'events.k8s.io': 'v1 v1beta1',
  extensions: 'v1beta1',
  'flowcontrol.apiserver.k8s.io': 'v1 v1beta1 v1beta2 v1beta3',
  'imagepolicy.k8s.io': 'v1alpha1',
  'internal.apiserver.k8s.io': 'v1alpha1',
  'lifecycle.k8s.io': 'v1alpha1',
  'networking.k8s.io': 'v1 v1beta1',
  'node.k8s.io': 'v1 v1alpha1 v1beta1',
  policy: 'v1 v1beta1',
  'rbac.authorization.k8s.io': 'v1 v1alpha1 v1beta1',
  'resource.k8s.io': 'v1 v1alpha3 v1beta1 v1beta2',
  'scheduling.k8s.io': 'v1 v1alpha2 v1alpha3 v1beta1',
  'storage.k8s.io': 'v1 v1alpha1 v1beta1',
  'storagemigration.k8s.io': 'v1 v1beta1',
}

/** The spans of versions that not every level has. */
const SPANS: Readonly<Record<string, LevelSpan>> = {
  'lifecycle.k8s.io/v1alpha1': { since: '1.37' },
  'scheduling.k8s.io/v1alpha2': { until: '1.36' },
  'scheduling.k8s.io/v1alpha3': { since: '1.37' },
  'storagemigration.k8s.io/v1': { since: '1.37' },
}

/** Groups that only servers use. OpenAPI documents of custom resources do not list them. */
const OF_SERVERS: ReadonlySet<string> = new Set([
  'admission.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'imagepolicy.k8s.io',
])

export function knownVersions(level: ApiLevel): readonly GroupVersion[] {
  return Object.keys(KNOWN).flatMap((group) => knownVersionsOf(group, level).map((version) => ({ group, version })))
}

/** The versions of a group. Empty: the group is unknown. */
export function knownVersionsOf(group: string, level: ApiLevel): readonly string[] {
  const versions = Object.hasOwn(KNOWN, group) ? (KNOWN[group] ?? '').split(' ') : []
  return versions.filter((version) => isAtLevel(level, SPANS[formatGroupVersion({ group, version })] ?? {}))
}

export function versionsKnownToClients(level: ApiLevel): readonly GroupVersion[] {
  return knownVersions(level).filter(({ group }) => !OF_SERVERS.has(group))
}
