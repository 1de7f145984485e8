// Explains to a client why its request was refused, if the request has `?explain=true`. The explanation is a member of ours in the details
// of the Status. Other clients get the answers of the reference. An explanation has nothing that the user may not read.
import type { Value, ValueMap } from './value.ts'

/** The annotation of an access review that has the explanation, in JSON. */
export const EXPLANATION = 'quarterdeck/explanation'

export type Explanation = DeniedExplanation | ConflictExplanation

export interface DeniedExplanation {
  /** The missing rule, in the form of a Role or ClusterRole. Absent: no rule would help, because an authorizer denies the request. */
  readonly missingRule?: ValueMap
  /** The namespace in which the rule is missing. Absent: it is missing for the whole cluster. */
  readonly namespace?: string
  /** The binding of the user whose rules are nearest to the missing rule. Only for users who may list such bindings and roles. */
  readonly nearestBinding?: NearestBinding
}

export interface NearestBinding {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  readonly role: { readonly kind: string; readonly name: string }
  /** `Group "dev"` */
  readonly subject: string
  readonly rule: ValueMap
  /** The parts of the request that the rule does not cover: members of the rule, or `namespace`. */
  readonly lacks: readonly string[]
}

export interface ConflictExplanation {
  readonly conflicts: readonly ExplainedConflict[]
  readonly waysOut: readonly string[]
}

export interface ExplainedConflict {
  readonly field: string
  readonly owner: FieldOwner
  /** The stored value. Absent: the caller may not read it, or it is large. */
  readonly current?: Value
  /** The applied value. Absent in the same cases. */
  readonly applied?: Value
}

/** The request by which a manager came to own a field. */
export interface FieldOwner {
  readonly manager: string
  readonly operation: string
  readonly apiVersion: string
  readonly subresource?: string
  /** The time at which the manager last changed its fields. Absent: the caller may not read the object. */
  readonly time?: string
}
