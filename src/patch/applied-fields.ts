// The fields of an applied document. The outline of a document alone decides whether it fits its schema, and which fields it sets. So the
// check and the fields are computed once for all documents made from one template.
import { metaText } from '../api/object-members.ts'
import { textOrEmpty } from '../api/members.ts'
import { ApiError } from '../api/status.ts'
import type { ValueMap } from '../api/value.ts'
import type { ObjectShape } from '../schema/table.ts'
import { differenceWithBelow, type FieldSet } from './field-set.ts'
import type { FieldSetMemo } from './field-set-memo.ts'
import { outlineOf } from './outline.ts'
import { findTypeProblems, formatProblems } from './typed-validate.ts'
import { fieldsOf } from './typed-walk.ts'

export interface AppliedTo {
  readonly apiVersion: string
  readonly shape: ObjectShape
  /** Empty for the main resource. */
  readonly subresource: string
  readonly reset: FieldSet
  readonly sets: FieldSetMemo
}

/** The fields that the document sets, without those of `reset`. Throws an `ApiError` if the document does not fit its schema. */
export function appliedFields(to: AppliedTo, document: ValueMap): FieldSet {
  const { apiVersion, shape, subresource, reset, sets } = to
  return sets.ofOutline(`applied ${subresource} ${apiVersion} `, outlineOf(shape, document), () => {
    const problems = findTypeProblems(shape, document)
    if (problems.length > 0) throw misfit(to, document, problems)
    return differenceWithBelow(fieldsOf(shape, document), reset)
  })
}

function misfit({ apiVersion }: AppliedTo, document: ValueMap, problems: readonly string[]): ApiError {
  // The reference writes the version of the core group with a slash: `/v1`.
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
  const subject = `${metaText(document, 'namespace')}/${metaText(document, 'name')}; ${version}, Kind=${textOrEmpty(document, 'kind')}`
  return new ApiError('BadRequest', `failed to create typed patch object (${subject}): ${formatProblems(problems)}`)
}
