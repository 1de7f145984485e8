// The moment at which the managed fields of a write other than an apply are computed.
import type { ApiObject } from '../api/object.ts'
import { managedFieldsOf } from '../patch/managed-fields.ts'
import type { RegistryParts, WrittenKind } from './registry.ts'

/**
 * Whether managed fields are computed before mutating admission: extensions see them, the object is converted there, and managed
 * fields that the client sent are validated later. All others are computed as late as possible: a write that is refused does not
 * compute them.
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
