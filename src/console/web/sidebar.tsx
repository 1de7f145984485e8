// The links to all pages: the server itself, then the kinds by their purpose.
import { useState } from 'preact/hooks'
import { canList, type Kind, resourceName } from './kind.ts'
import { Mark } from './login-page.tsx'
import { HOME, type Route, tableAddress } from './routes.ts'

const PAGES: readonly (readonly [page: Route['page'], title: string, address: string])[] = [
  ['overview', 'Overview', HOME],
  ['server', 'Server', `${HOME}server`],
  ['definitions', 'Definitions', `${HOME}definitions`],
  ['access', 'Access', `${HOME}access`],
  ['apply', 'Apply YAML', `${HOME}apply`],
]

/** The well-known kinds by purpose. All other kinds are listed by API group. */
const SECTIONS: readonly (readonly [title: string, resources: readonly string[]])[] = [
  [
    'Workloads',
    [
      'pods',
      'deployments.apps',
      'replicasets.apps',
      'statefulsets.apps',
      'daemonsets.apps',
      'jobs.batch',
      'cronjobs.batch',
      'horizontalpodautoscalers.autoscaling',
      'poddisruptionbudgets.policy',
      'replicationcontrollers',
    ],
  ],
  [
    'Configuration',
    ['configmaps', 'secrets', 'namespaces', 'resourcequotas', 'limitranges', 'leases.coordination.k8s.io', 'events'],
  ],
  [
    'Network',
    [
      'services',
      'endpointslices.discovery.k8s.io',
      'ingresses.networking.k8s.io',
      'networkpolicies.networking.k8s.io',
      'endpoints',
    ],
  ],
  ['Storage', ['persistentvolumeclaims', 'persistentvolumes', 'storageclasses.storage.k8s.io']],
  [
    'Access',
    [
      'serviceaccounts',
      'roles.rbac.authorization.k8s.io',
      'rolebindings.rbac.authorization.k8s.io',
      'clusterroles.rbac.authorization.k8s.io',
      'clusterrolebindings.rbac.authorization.k8s.io',
    ],
  ],
]

interface Section {
  readonly title: string
  readonly kinds: readonly Kind[]
}

/** Groups of definitions come before rare built-in groups. */
function sectionsOf(kinds: readonly Kind[]): readonly Section[] {
  const listed = kinds.filter(canList)
  const byName = new Map(listed.map((kind) => [resourceName(kind), kind]))
  const known = SECTIONS.map(([title, names]) => ({ title, kinds: names.flatMap((name) => byName.get(name) ?? []) }))
  const placed = new Set(known.flatMap((section) => section.kinds))
  const rest = Map.groupBy(
    listed.filter((kind) => !placed.has(kind)),
    ({ group }) => group,
  )
  const others = [...rest].map(([group, members]) => ({ title: group === '' ? 'Core' : group, kinds: members }))
  const isCustom = ({ title }: Section): boolean => !title.endsWith('.k8s.io') && title.includes('.')
  return [...known, ...others.filter(isCustom), ...others.filter((section) => !isCustom(section))].filter(
    (section) => section.kinds.length > 0,
  )
}

interface Props {
  readonly kinds: readonly Kind[]
  readonly route: Route
  /** The chosen namespace, which links to other kinds keep. */
  readonly namespace: string
}

export function Sidebar({ kinds, route, namespace }: Props) {
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase()
  const fits = (kind: Kind): boolean =>
    [resourceName(kind), kind.kind.toLowerCase(), ...kind.shortNames].some((name) => name.includes(wanted))
  const resource = 'resource' in route ? route.resource : undefined
  return (
    <nav class="sidebar" id="sidebar" aria-label="Main">
      <a class="brand" href={HOME}>
        <Mark /> Quarterdeck
      </a>
      <ul>
        {PAGES.map(([page, title, address]) => (
          <li key={page}>
            <a href={address} aria-current={route.page === page ? 'page' : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
      <input
        type="search"
        class="find-kind"
        aria-label="Find a kind"
        placeholder="Find a kind  ( f )"
        data-hotkey="f"
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        onKeyDown={({ key, currentTarget }) => {
          const first = currentTarget.parentElement?.querySelector<HTMLElement>('details a')
          if (key !== 'Enter' || wanted === '' || first == null) return
          first.click()
          currentTarget.blur()
          setSearch('')
        }}
      />
      {wanted !== '' && !kinds.some((kind) => canList(kind) && fits(kind)) && <p class="empty">No such kind.</p>}
      {sectionsOf(kinds.filter(fits)).map((section, i) => (
        <details
          key={section.title}
          open={wanted !== '' || i < SECTIONS.length || section.kinds.some((kind) => resourceName(kind) === resource)}
        >
          <summary>{section.title}</summary>
          <ul>
            {section.kinds.map((kind) => (
              <li key={kind.plural}>
                <a
                  href={tableAddress(resourceName(kind), kind.namespaced ? { namespace } : {})}
                  aria-current={resourceName(kind) === resource ? 'page' : undefined}
                  title={resourceName(kind)}
                >
                  {kind.kind}
                </a>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </nav>
  )
}
