// Decides when the managed fields of a write other than an apply are computed: before or after mutating admission.
import type { ApiObject } from '../api/object.ts'
import { managedFieldsOf } from '../patch/managed-fields.ts'
import type { RegistryParts, WrittenKind } from './registry.ts'

/**
 * Whether managed fields are computed before mutating admission. This is needed if extensions see them, if the object is converted, or if
 * the client sent managed fields. Otherwise they are computed as late as possible, so that a refused write does not compute them.
 */
export function isOwnedFirst(
  { admission }: RegistryParts,
  { conversion, versions }: Pick<WrittenKind, 'conversion' | 'versions'>,
  write: { readonly sent: ApiObject; readonly live?: ApiObject },
): boolean {
  if (!conversion.isIdentity || versions.convertElsewhere !== undefined) return true
  if (admission.hasExtensions('mutate') || admission.hasExtensions('validate')) return true
  const sent = managedFieldsOf(write.sent)
  return sent !== undefined && sent !== managedFieldsOf(write.live ?? {})
}
