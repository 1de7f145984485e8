// The kinds by their purpose, in the order of the sidebar and of searches.
import type { IconName } from './icon.tsx'
import { canList, type Kind, resourceName } from './kind.ts'

/** The well-known kinds by purpose. All other kinds are listed by API group. */
const SECTIONS: readonly (readonly [title: string, icon: IconName, resources: string])[] = [
  [
    'Workloads',
    'workloads',
    `pods deployments.apps replicasets.apps statefulsets.apps daemonsets.apps jobs.batch cronjobs.batch
    horizontalpodautoscalers.autoscaling poddisruptionbudgets.policy replicationcontrollers`,
  ],
  ['Cluster', 'server', 'nodes namespaces events leases.coordination.k8s.io'],
  ['Configuration', 'configuration', 'configmaps secrets resourcequotas limitranges'],
  [
    'Network',
    'network',
    'services endpointslices.discovery.k8s.io ingresses.networking.k8s.io networkpolicies.networking.k8s.io endpoints',
  ],
  ['Storage', 'storage', 'persistentvolumeclaims persistentvolumes storageclasses.storage.k8s.io'],
  [
    'Access',
    'access',
    `serviceaccounts roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io
    clusterroles.rbac.authorization.k8s.io clusterrolebindings.rbac.authorization.k8s.io`,
  ],
]

export interface Section {
  readonly title: string
  readonly icon: IconName
  readonly kinds: readonly Kind[]
  /** False: only the title is shown until the user opens the section. */
  readonly isOpen: boolean
}

/** More custom kinds would push all others out of sight. */
const MOST_OPEN_CUSTOM = 12

/** Custom kinds come first, and rare built-in groups last. */
export function sectionsOf(kinds: readonly Kind[]): readonly Section[] {
  const listed = kinds.filter(canList)
  const byName = new Map(listed.map((kind) => [resourceName(kind), kind]))
  const known = SECTIONS.map(([title, icon, names]) => ({
    title,
    icon,
    kinds: names.split(/\s+/).flatMap((name) => byName.get(name) ?? []),
    isOpen: true,
  }))
  const placed = new Set(known.flatMap((section) => section.kinds))
  const rest = listed.filter((kind) => !placed.has(kind))
  const custom = rest.filter(isCustom)
  const isOpen = custom.length <= MOST_OPEN_CUSTOM
  const others = rest.filter((kind) => !isCustom(kind))
  return [
    ...byGroup(custom).map((section) => ({ ...section, icon: 'custom' as const, isOpen })),
    ...known,
    ...byGroup(others).map((section) => ({ ...section, icon: 'other' as const, isOpen: false })),
  ].filter((section) => section.kinds.length > 0)
}

/** The group decides: without the right to read definitions, there is no other sign. */
export function isCustom({ group }: Pick<Kind, 'group'>): boolean {
  return group.includes('.') && !group.endsWith('.k8s.io')
}

function byGroup(kinds: readonly Kind[]): readonly Pick<Section, 'title' | 'kinds'>[] {
  const groups = Map.groupBy(kinds, ({ group }) => group)
  return [...groups].map(([group, members]) => ({ title: group === '' ? 'Core' : group, kinds: members }))
}
