// What the rules of a container need to know of the pod around it.
import type { ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'

export interface ContainerScope {
  readonly check: Check
  /** The volumes that passed their own rules, by name. */
  readonly volumes: ReadonlyMap<string, ValueMap>
  /** The names of the pod's resource claims. */
  readonly claims: ReadonlySet<string>
  /** `terminationGracePeriodSeconds` of the pod. */
  readonly gracePeriod: number | bigint | undefined
  readonly restartPolicy: string
  /** Users of the host are users of the pod; so it is unless `hostUsers` is false. */
  readonly hostUsers: boolean
  /** `spec.os.name`. */
  readonly os: string | undefined
}
