// The requests that a fault is for. All names must exist: a fault that can never strike is a mistake of the test's author.
import type { ResourceInfo } from '../../http/request-info.ts'
import { suggestion } from '../../lib/closest-word.ts'
import type { DiscoveryGroup } from '../../registry/discovery.ts'
import { FaultError, type RequestMatch } from './fault-spec.ts'

/** The parts of a request that faults match. */
export interface Asked {
  readonly info: ResourceInfo
  readonly user: string
  /** For a create, the name in the body. */
  readonly name: string | undefined
  readonly generateName: string | undefined
}

export interface Matcher {
  /** Undefined: any name. */
  readonly name: string | undefined
  /** Whether all parts of the request but the name match. */
  fits(asked: Omit<Asked, 'name' | 'generateName'>): boolean
}

export function isMatch(matcher: Matcher, asked: Asked): boolean {
  return (matcher.name === undefined || matcher.name === asked.name) && matcher.fits(asked)
}

type Served = DiscoveryGroup['versions'][number]['resources'][number]

interface Target extends Served {
  /** `deployments.apps`, `pods`. */
  readonly text: string
}

/** `verbs`: the matched verbs if `match` names no verb. Absent: every verb. Throws `FaultError`. */
export function matcherOf(match: RequestMatch, groups: readonly DiscoveryGroup[], verbs?: readonly string[]): Matcher {
  const asked = match.verb === undefined ? undefined : [match.verb].flat()
  const targets = targetsOf(match, groups)
  const { subresource } = match
  if (subresource !== undefined && subresource !== '*') checkSubresource(subresource, targets ?? allOf(groups), match)
  for (const verb of asked ?? []) checkVerb(verb, targets, match)
  const wanted = asked ?? verbs
  const places = targets && new Set(targets.map(({ text }) => text))
  const { namespace, name, user } = match
  const isBelow = subresource === '*' || (subresource === undefined && targets === undefined)
  return {
    name,
    fits: ({ info, user: who }) =>
      (wanted === undefined || wanted.includes(info.verb)) &&
      (places === undefined || places.has(textOf(info))) &&
      (isBelow || info.subresource === subresource) &&
      (namespace === undefined || info.namespace === namespace) &&
      (user === undefined || who === user),
  }
}

function textOf({ resource, group }: Pick<ResourceInfo, 'resource' | 'group'>): string {
  return group === '' ? resource : `${resource}.${group}`
}

function allOf(groups: readonly DiscoveryGroup[]): readonly Target[] {
  return groups.flatMap(({ group, versions }) =>
    versions.flatMap(({ resources }) =>
      resources.map((served) => ({ ...served, group, text: textOf({ resource: served.plural, group }) })),
    ),
  )
}

/** The resources that `match` names, in all versions. Undefined: every resource. */
function targetsOf({ resource, kind }: RequestMatch, groups: readonly DiscoveryGroup[]): readonly Target[] | undefined {
  if (resource !== undefined && kind !== undefined) throw new FaultError('match by resource or by kind, not by both')
  if (resource === undefined && kind === undefined) return undefined
  const all = allOf(groups)
  const wordsOf = (target: Target): readonly string[] => {
    if (kind === undefined) return [target.plural, target.text]
    return [target.kind, ...(target.group === '' ? [] : [`${target.kind}.${target.group}`])]
  }
  const wanted = resource ?? kind ?? ''
  const found = all.filter((target) => wordsOf(target).includes(wanted))
  if (found.length > 0) return found
  const meant = suggestion(wanted, all.flatMap(wordsOf))
  const what = kind === undefined ? 'resource' : 'kind'
  throw new FaultError(`the server has no ${what} ${JSON.stringify(wanted)}${meant}`)
}

function checkSubresource(subresource: string, targets: readonly Target[], match: RequestMatch): void {
  const known = targets.flatMap(({ subresources }) => subresources.map(({ name }) => name))
  if (known.includes(subresource)) return
  const of = match.resource ?? match.kind
  const where = of === undefined ? 'no resource has' : `${of} has no`
  throw new FaultError(`${where} subresource ${JSON.stringify(subresource)}${suggestion(subresource, known)}`)
}

function checkVerb(verb: string, targets: readonly Target[] | undefined, match: RequestMatch): void {
  if (targets === undefined) return
  const { subresource } = match
  const below = targets.flatMap(({ subresources }) =>
    subresources.filter(({ name }) => subresource === '*' || name === subresource),
  )
  const itself = subresource === undefined || subresource === '*' ? targets : []
  if ([...itself, ...below].some(({ verbs }) => verbs.includes(verb))) return
  const place = `${match.resource ?? match.kind}${subresource === undefined ? '' : `/${subresource}`}`
  throw new FaultError(`${place} has no verb ${verb}`)
}
