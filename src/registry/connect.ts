// Connect: nothing is stored, and admission is asked all the same.
import type { ApiObject } from '../api/object.ts'
import type { RegistryParts, Resource, WriteContext } from './registry.ts'
import { admissionRequest } from './steps.ts'

export interface ConnectRequest {
  /** Of the options that the object holds. */
  readonly kind: string
  readonly object: ApiObject
  readonly subresource: string
  readonly name: string
}

/** Throws `ApiError` where the connection is refused. */
export async function admitConnect(
  { admission }: RegistryParts,
  resource: Resource,
  { kind, object, subresource, name }: ConnectRequest,
  context: WriteContext,
): Promise<void> {
  const step = {
    resource,
    kind: { group: '', version: 'v1', kind },
    operation: 'CONNECT',
    subresource,
    name,
    object,
    oldObject: undefined,
  } as const
  const mutated = await admission.mutate(admissionRequest(step, context), context.signal)
  await admission.validate(admissionRequest({ ...step, object: mutated ?? object }, context), context.signal)
}
