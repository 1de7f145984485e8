// The containers of a pod with their places, and the facts about the pod that their rules need.
import type { Container, PodSpec, Volume } from '../../../api/gen/kinds.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { CONTAINER_LISTS } from '../../../api/pod-containers.ts'
import type { Check } from '../../../schema/validation/check.ts'

export type PlacedContainer = readonly [container: Container, at: FieldPath<Container>]

/** Every container of a pod. */
export function containersOf(spec: PodSpec, at: FieldPath<PodSpec>): readonly PlacedContainer[] {
  const placed: PlacedContainer[] = []
  for (const field of CONTAINER_LISTS) {
    for (const [i, container] of (spec[field] ?? []).entries()) placed.push([container, at.child(field).index(i)])
  }
  return placed
}

export interface ContainerScope {
  readonly check: Check
  /** The valid volumes, by name. */
  readonly volumes: ReadonlyMap<string, Volume>
  /** The names of the pod's resource claims. */
  readonly claims: ReadonlySet<string>
  /** `terminationGracePeriodSeconds` of the pod. */
  readonly gracePeriod: number | bigint | undefined
  readonly restartPolicy: string
  /** `hostUsers` of the pod, which defaults to true. */
  readonly hostUsers: boolean
  /** `spec.os.name`. */
  readonly os: string | undefined
}
