// NamespaceAutoProvision and NamespaceExists: a namespace that somebody makes something in is made, or has to be there.
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { findAnywhere, type ObjectReader } from '../admission/object-reader.ts'
import { namespaceNotFound } from '../admission/refusal.ts'

/** Makes a namespace; one that is there by then is just as good. */
export type MakeNamespace = (name: string, signal: AbortSignal) => Promise<void>

export function namespaceAutoProvision(namespaces: ObjectReader, make: MakeNamespace): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    operations: ['CREATE'],
    async mutate(request, signal) {
      const { namespace } = request
      // Under a dry run nothing may be made, and nothing is stored either.
      if (!isWithin(request) || request.dryRun || (await isThere(namespaces, namespace, signal))) return request.object
      await make(namespace, signal)
      return request.object
    },
  }
}

export function namespaceExists(namespaces: ObjectReader): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    async validate(request, signal) {
      const { namespace } = request
      if (!isWithin(request) || (await isThere(namespaces, namespace, signal))) return
      throw namespaceNotFound(namespace)
    },
  }
}

function isWithin({ namespace, resource }: AdmissionRequest): boolean {
  return namespace !== '' && resource.resource !== 'namespaces'
}

async function isThere(namespaces: ObjectReader, name: string, signal: AbortSignal): Promise<boolean> {
  return (await findAnywhere(namespaces, ['', name], signal)) !== undefined
}
