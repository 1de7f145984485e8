// The validation rules of a kind: for creates, updates and changes of subresources.
import type { ValueMap } from '../../api/value.ts'
import type { Check } from './check.ts'

export type CreateRule<T = ValueMap> = (object: T, check: Check) => void

/** `stored` is the object before the change. */
export type UpdateRule<T = ValueMap> = (object: T, stored: T, check: Check) => void

export interface KindRules<T = ValueMap> {
  readonly create: CreateRule<T>
  readonly update: UpdateRule<T>
  /** Objects of the kind are requests, such as reviews, and never stored. Their metadata is not checked. */
  readonly isQuestion?: boolean
  /** Rules by subresource: `status`, `approval`, `resize`. A subresource that is not listed has only the rules of metadata. */
  readonly subresources?: Readonly<Record<string, UpdateRule<T>>>
}
