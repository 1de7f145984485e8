// The validation rules of a kind: for creates, updates and changes of subresources.
import type { ValueMap } from '../../api/value.ts'
import type { Check } from './check.ts'

export type CreateRule<T = ValueMap> = (object: T, check: Check) => void

/** `stored` is the object before the change. */
export type UpdateRule<T = ValueMap> = (object: T, stored: T, check: Check) => void

export interface KindRules<T = ValueMap> {
  readonly create: CreateRule<T>
  readonly update: UpdateRule<T>
  /** It is answered and never stored: its metadata is not checked. */
  readonly isQuestion?: boolean
  /** By the name of the subresource: `status`, `approval`, `resize`. One that is not listed has the rules of metadata only. */
  readonly subresources?: Readonly<Record<string, UpdateRule<T>>>
}
