// The admission chain, put together: what every write has to pass, in this order.
import type { Admission } from '../admission/admission.ts'
import { admitInOrder } from '../admission/chain.ts'
import { namespaceLifecycle } from '../admission/namespace-lifecycle.ts'
import type { ApiObject } from '../api/object.ts'
import { InvariantError } from '../lib/errors.ts'
import type { ResourceTable } from '../registry/registry.ts'
import type { Store } from '../store/store.ts'

export interface AdmissionParts {
  readonly store: Store
  readonly table: ResourceTable
}

/** A namespace that was just made elsewhere counts: the cache is asked, then the storage. */
export function openAdmission({ store, table }: AdmissionParts): Admission {
  const namespaces = table.find({ group: '', version: 'v1', resource: 'namespaces' })
  if (namespaces === undefined) throw new InvariantError('namespaces are not served')
  const find = async (name: string, signal: AbortSignal): Promise<ApiObject | undefined> => {
    const key = { resource: namespaces.stored, namespace: '', name }
    const cached = await store.get(key, { kind: 'any' }, signal)
    const { item } = cached.item === undefined ? await store.get(key, { kind: 'latest' }, signal) : cached
    return item?.kind === 'object' ? item.object() : undefined
  }
  return admitInOrder([namespaceLifecycle(find)])
}
