// A pod as the checks look at it, and the words that they all use.
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

/** Why a pod is not allowed: in a word, and in detail. */
export interface Violation {
  readonly reason: string
  readonly detail: string
}

export type Check = (pod: PodView) => Violation | undefined

export function quoteAll(items: Iterable<string>): string {
  const texts = [...items]
  return texts.length === 0 ? '' : `"${texts.join('", "')}"`
}

export function sorted(items: Iterable<string>): readonly string[] {
  return [...new Set(items)].toSorted()
}

export function oneOrMany(one: string, many: string, count: number): string {
  return count === 1 ? one : many
}

/** `container "a"`, `containers "a", "b"`. */
export function named(word: string, names: readonly string[]): string {
  return `${oneOrMany(word, `${word}s`, names.length)} ${quoteAll(names)}`
}

export function namesWhere(pod: PodView, test: (container: ContainerView) => boolean): readonly string[] {
  return pod.containers.filter(test).map(({ name }) => name)
}

/** Those who set something that they must not: `pod`, `pod and container "a"`. */
export function setters(isPod: boolean, containers: readonly string[]): string {
  return [...(isPod ? ['pod'] : []), ...(containers.length === 0 ? [] : [named('container', containers)])].join(' and ')
}

/** The type in a profile of a security context; undefined where there is no profile. */
export function profileType(security: ValueMap, profile: string): string | undefined {
  const part = mapOrAbsent(security, profile)
  return part === undefined ? undefined : textOrEmpty(part, 'type')
}

/** A pod whose users are not those of the node. */
export function hasOwnUsers({ spec }: PodView): boolean {
  return own(spec, 'hostUsers') === false
}

export function isWindows({ spec }: PodView): boolean {
  return textOrEmpty(mapOrEmpty(spec, 'os'), 'name') === 'windows'
}
