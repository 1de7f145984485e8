// The smallest roles that would have allowed the recorded requests: rules allow only combinations that occurred.
import { allowsPath, allowsResource, type PolicyRule } from '../api/policy-rule.ts'

export type SeenAccess =
  | {
      readonly kind: 'resource'
      readonly verb: string
      readonly group: string
      readonly resource: string
      readonly subresource: string
      /** Empty: in the whole cluster, or across all namespaces. */
      readonly namespace: string
      /** Empty: the requests named no object. */
      readonly name: string
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string }

export interface RecordedRole {
  /** Empty: a ClusterRole. */
  readonly namespace: string
  readonly rules: readonly PolicyRule[]
}

/** The ClusterRole comes first. The other roles do not repeat its rules. */
export function recordedRoles(seen: readonly SeenAccess[]): readonly RecordedRole[] {
  const byNamespace = Map.groupBy(seen, (access) => (access.kind === 'path' ? '' : access.namespace))
  const cluster = rulesFor(byNamespace.get('') ?? [])
  const roles = [...byNamespace.keys()]
    .filter((namespace) => namespace !== '')
    .toSorted()
    .map((namespace) => {
      const rest = byNamespace.get(namespace)!.filter((access) => !cluster.some((rule) => allows(rule, access)))
      return { namespace, rules: rulesFor(rest) }
    })
  return [{ namespace: '', rules: cluster }, ...roles].filter(({ rules }) => rules.length > 0)
}

export function allows(rule: PolicyRule, access: SeenAccess): boolean {
  if (access.kind === 'path') return allowsPath(rule, access.verb, access.path)
  return allowsResource(rule, { ...access, name: access.name === '' ? undefined : access.name })
}

function rulesFor(seen: readonly SeenAccess[]): readonly PolicyRule[] {
  const paths = seen.filter((access) => access.kind === 'path')
  const resources = seen.filter((access) => access.kind === 'resource')
  const ofPaths = [...Map.groupBy(paths, ({ path }) => path)].map(([path, asked]) => ({
    ...NO_RULE,
    nonResourceURLs: [path],
    verbs: sorted(asked.map(({ verb }) => verb)),
  }))
  const ofResources = [...Map.groupBy(resources, placeOf).values()].flatMap(rulesOfPlace)
  return [...joined(joined(ofResources, 'resources'), 'apiGroups'), ...joined(ofPaths, 'nonResourceURLs')]
}

type SeenResource = Extract<SeenAccess, { readonly kind: 'resource' }>

const NO_RULE: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] }

function placeOf({ group, resource, subresource }: SeenResource): string {
  return `${group} ${resource}/${subresource}`
}

/** Verbs that were requested on the same objects have one rule. */
function rulesOfPlace(seen: readonly SeenResource[]): readonly PolicyRule[] {
  const [{ group, resource, subresource }] = seen as readonly [SeenResource]
  const place = { apiGroups: [group], resources: [subresource === '' ? resource : `${resource}/${subresource}`] }
  const ofVerbs = [...Map.groupBy(seen, ({ verb }) => verb)].map(([verb, asked]): PolicyRule => {
    const names = sorted(asked.map(({ name }) => name))
    return { ...NO_RULE, ...place, verbs: [verb], resourceNames: names.includes('') ? [] : names }
  })
  return joined(ofVerbs, 'verbs')
}

/** Joins rules that differ in one part only. The joined rule allows exactly what the rules allow together. */
function joined(rules: readonly PolicyRule[], part: keyof PolicyRule): readonly PolicyRule[] {
  const rest = (rule: PolicyRule): string => JSON.stringify({ ...rule, [part]: [] })
  return [...Map.groupBy(rules, rest).values()].map((alike) => ({
    ...alike[0]!,
    [part]: sorted(alike.flatMap((rule) => rule[part])),
  }))
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted()
}
