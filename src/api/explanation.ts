// Why a request was refused, for who asks with `?explain=true`: a member of ours in the details of the Status. Clients that do not ask
// get the answers of the reference, and no user is told more than the user may read.
import type { Value, ValueMap } from './value.ts'

/** The annotation of an access review that has it, in JSON. */
export const EXPLANATION = 'quarterdeck/explanation'

export type Explanation = DeniedExplanation | ConflictExplanation

export interface DeniedExplanation {
  /** As it would stand in a Role, or in a ClusterRole; absent where no rule would help, because an authorizer has said no. */
  readonly missingRule?: ValueMap
  /** Where the rule is missing; absent: in the whole cluster. */
  readonly namespace?: string
  /** What the user is bound to that comes closest; only for readers who may list such bindings and roles. */
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
  /** What of the request the rule does not cover: members of the rule, or `namespace`. */
  readonly lacks: readonly string[]
}

export interface ConflictExplanation {
  readonly conflicts: readonly ExplainedConflict[]
  readonly waysOut: readonly string[]
}

export interface ExplainedConflict {
  readonly field: string
  readonly owner: FieldOwner
  /** What is stored; absent where the caller may not read it, and where it is large. */
  readonly current?: Value
  /** What was applied; likewise. */
  readonly applied?: Value
}

/** The request by which a manager came to own a field. */
export interface FieldOwner {
  readonly manager: string
  readonly operation: string
  readonly apiVersion: string
  readonly subresource?: string
  /** When the manager last changed what it owns; absent where the caller may not read the object. */
  readonly time?: string
}
