// A pod as the checks see it, and the texts and checks that they share.
import { mapOrAbsent, mapOrEmpty, mapsOnly, textOrEmpty } from '../../api/members.ts'
import { CONTAINER_LISTS } from '../../api/pod-containers.ts'
import { own, type ValueMap } from '../../api/value.ts'

export interface PodView {
  readonly annotations: ValueMap
  readonly spec: ValueMap
  readonly security: ValueMap
  readonly containers: readonly ContainerView[]
}

export interface ContainerView {
  readonly name: string
  readonly container: ValueMap
  readonly security: ValueMap
}

export function viewOf(metadata: ValueMap, spec: ValueMap): PodView {
  return {
    annotations: mapOrEmpty(metadata, 'annotations'),
    spec,
    security: mapOrEmpty(spec, 'securityContext'),
    containers: CONTAINER_LISTS.flatMap((list) => mapsOnly(spec, list)).map((container) => ({
      name: textOrEmpty(container, 'name'),
      container,
      security: mapOrEmpty(container, 'securityContext'),
    })),
  }
}

export interface Violation {
  readonly reason: string
  readonly detail: string
}

export type Check = (pod: PodView) => Violation | undefined

/** By the minor version that the check applies from. */
export type CheckVersions = Readonly<Record<number, Check>>

/** A check of containers: `container "a" must not …`. */
export function containerCheck(
  reason: string,
  isBad: (container: ContainerView) => boolean,
  what: (bad: readonly ContainerView[]) => string,
): Check {
  return ({ containers }) => {
    const bad = containers.filter(isBad)
    if (bad.length === 0) return undefined
    const names = bad.map(({ name }) => name)
    return { reason, detail: `${named('container', names)} ${what(bad)}` }
  }
}

/** A check of the security contexts of the pod and its containers: `pod and container "a" must not …`. */
export function contextCheck(
  reason: string,
  isBad: (security: ValueMap) => boolean,
  what: (bad: readonly ValueMap[]) => string,
): Check {
  return (pod) => {
    const who = setters(pod, isBad)
    return who === '' ? undefined : { reason, detail: `${who} ${what(contextsOf(pod).filter(isBad))}` }
  }
}

/** The security contexts of the pod and of its containers. */
export function contextsOf({ security, containers }: PodView): readonly ValueMap[] {
  return [security, ...containers.map((container) => container.security)]
}

export function quoteAll(items: Iterable<string>): string {
  const texts = [...items]
  return texts.length === 0 ? '' : `"${texts.join('", "')}"`
}

export function sorted(items: Iterable<string>): readonly string[] {
  return [...new Set(items)].toSorted()
}

export function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`
}

export function uses(count: number): string {
  return count === 1 ? 'uses' : 'use'
}

/** `container "a"`, `containers "a", "b"`. */
export function named(word: string, names: readonly string[]): string {
  return `${plural(word, names.length)} ${quoteAll(names)}`
}

export function namesWhere(pod: PodView, test: (container: ContainerView) => boolean): readonly string[] {
  return pod.containers.filter(test).map(({ name }) => name)
}

/** Who has such a security context: `pod`, `pod and container "a"`, or an empty text. */
export function setters(pod: PodView, isBad: (security: ValueMap) => boolean): string {
  const containers = namesWhere(pod, ({ security }) => isBad(security))
  const who = [
    ...(isBad(pod.security) ? ['pod'] : []),
    ...(containers.length === 0 ? [] : [named('container', containers)]),
  ]
  return who.join(' and ')
}

/** The type in a profile of a security context; undefined where there is no profile. */
export function profileType(security: ValueMap, profile: string): string | undefined {
  const part = mapOrAbsent(security, profile)
  return part === undefined ? undefined : textOrEmpty(part, 'type')
}

/** Skips pods with a user namespace. */
export function unlessOwnUsers(check: Check): Check {
  return (pod) => (own(pod.spec, 'hostUsers') === false ? undefined : check(pod))
}

export function unlessWindows(check: Check): Check {
  return (pod) => (textOrEmpty(mapOrEmpty(pod.spec, 'os'), 'name') === 'windows' ? undefined : check(pod))
}
