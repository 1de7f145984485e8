// A pod as the checks see it, and the texts and checks that they share.
import type { Container, ObjectMeta, PodSecurityContext, PodSpec, SecurityContext } from '../../api/gen/kinds.ts'
import { containersOf } from '../../api/pod-containers.ts'
import type { MapOf } from '../../api/value.ts'

export interface PodView {
  readonly annotations: MapOf<string>
  readonly spec: PodSpec
  readonly security: PodSecurityContext
  readonly containers: readonly ContainerView[]
}

export interface ContainerView {
  readonly name: string
  readonly container: Container
  readonly security: SecurityContext
}

/** A security context of a pod or of a container. */
export type Security = PodSecurityContext | SecurityContext

export interface PodOrTemplate {
  readonly metadata: ObjectMeta
  readonly spec: PodSpec
}

export function viewOf({ metadata, spec }: PodOrTemplate): PodView {
  return {
    annotations: metadata.annotations ?? {},
    spec,
    security: spec.securityContext ?? {},
    containers: containersOf(spec).map((container) => ({
      name: container.name,
      container,
      security: container.securityContext ?? {},
    })),
  }
}

export interface Violation {
  readonly reason: string
  readonly detail: string
}

export type Check = (pod: PodView) => Violation | undefined

/** The versions of a check, by their first minor version. */
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
  isBad: (security: Security) => boolean,
  what: (bad: readonly Security[]) => string,
): Check {
  return (pod) => {
    const who = setters(pod, isBad)
    return who === '' ? undefined : { reason, detail: `${who} ${what(contextsOf(pod).filter(isBad))}` }
  }
}

/** The security contexts of the pod and of its containers. */
export function contextsOf({ security, containers }: PodView): readonly Security[] {
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

/** The parts of the pod with a bad security context: `pod`, `pod and container "a"`, or an empty text. */
export function setters(pod: PodView, isBad: (security: Security) => boolean): string {
  const containers = namesWhere(pod, ({ security }) => isBad(security))
  const who = [
    ...(isBad(pod.security) ? ['pod'] : []),
    ...(containers.length === 0 ? [] : [named('container', containers)]),
  ]
  return who.join(' and ')
}

/** A check that skips pods with a user namespace. */
export function unlessOwnUsers(check: Check): Check {
  return (pod) => (pod.spec.hostUsers === false ? undefined : check(pod))
}

export function unlessWindows(check: Check): Check {
  return (pod) => (pod.spec.os?.name === 'windows' ? undefined : check(pod))
}
