// NamespaceAutoProvision creates the namespace of a new object; NamespaceExists requires it.
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { findAnywhere, type ObjectReader } from '../admission/object-reader.ts'
import { namespaceNotFound } from '../admission/refusal.ts'

/** Creates a namespace, unless it exists already. */
export type MakeNamespace = (name: string, signal: AbortSignal) => Promise<void>

export function namespaceAutoProvision(namespaces: ObjectReader, make: MakeNamespace): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    operations: ['CREATE'],
    readsObjects: () => false,
    async mutate(request, signal) {
      const { namespace } = request
      // A dry run creates nothing.
      if (!isWithin(request) || request.dryRun || (await isThere(namespaces, namespace, signal))) return undefined
      await make(namespace, signal)
      return undefined
    },
  }
}

export function namespaceExists(namespaces: ObjectReader): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    readsObjects: () => false,
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
