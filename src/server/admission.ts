// The admission chain, put together: what every write has to pass, in the order of `admission-plugins.ts`.
import type { Admission, AdmissionPlugin } from '../admission/admission.ts'
import { admitInOrder } from '../admission/chain.ts'
import { namespaceLifecycle } from '../admission/namespace-lifecycle.ts'
import type { ObjectReader } from '../admission/object-reader.ts'
import type { ApiObject } from '../api/object.ts'
import { InvariantError } from '../lib/errors.ts'
import type { ResourceTable } from '../registry/registry.ts'
import type { Store, StoredResource } from '../store/store.ts'
import { admissionOrder, type AdmissionPluginName } from './admission-plugins.ts'

export interface AdmissionParts {
  readonly store: Store
  readonly table: ResourceTable
  /** The plugins that are on. */
  readonly enabled: ReadonlySet<AdmissionPluginName>
}

export function openAdmission({ store, table, enabled }: AdmissionParts): Admission {
  const read = (resource: string, group = ''): ObjectReader => {
    const found = table.find({ group, version: 'v1', resource })
    if (found === undefined) throw new InvariantError(`${resource} are not served`)
    return readFrom(store, found.stored)
  }
  const plugins: readonly AdmissionPlugin[] = [namespaceLifecycle(read('namespaces'))]
  const isOn = ({ name }: AdmissionPlugin): boolean => name === undefined || enabled.has(name as AdmissionPluginName)
  return admitInOrder(plugins.filter(isOn).toSorted((a, b) => admissionOrder(a.name) - admissionOrder(b.name)))
}

function readFrom(store: Store, resource: StoredResource): ObjectReader {
  const get = async (
    at: { readonly kind: 'any' | 'latest' },
    [namespace, name]: readonly [string, string],
    signal: AbortSignal,
  ): Promise<ApiObject | undefined> => {
    const { item } = await store.get({ resource, namespace, name }, at, signal)
    return item?.kind === 'object' ? item.object() : undefined
  }
  return {
    find: (namespace, name, signal) => get({ kind: 'any' }, [namespace, name], signal),
    findLatest: (namespace, name, signal) => get({ kind: 'latest' }, [namespace, name], signal),
    async list(namespace, signal) {
      const within = namespace === '' ? {} : { namespace }
      const page = await store.list({ resource, ...within, at: { kind: 'any' }, skipUnreadable: true }, signal)
      const objects: ApiObject[] = []
      for await (const batch of page.batches) objects.push(...batch.map((item) => item.object()))
      return objects
    },
  }
}
