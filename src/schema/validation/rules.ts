// The validation rules of a kind: for creates, updates and changes of subresources.
import type { ValueMap } from '../../api/value.ts'
import type { Check } from './check.ts'

export type CreateRule = (object: ValueMap, check: Check) => void

/** `stored` is the object as it was. */
export type UpdateRule = (object: ValueMap, stored: ValueMap, check: Check) => void

export interface KindRules {
  readonly create: CreateRule
  readonly update: UpdateRule
  /** It is answered and never stored: nothing is asked of its metadata. */
  readonly isQuestion?: boolean
  /** By the name of the subresource: `status`, `approval`, `resize`. One that is not listed has the rules of metadata only. */
  readonly subresources?: Readonly<Record<string, UpdateRule>>
}
