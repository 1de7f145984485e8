// Two types of objects for tests: one in namespaces, with an indexed field, and one of the whole cluster.
import { selectableFields } from '../../src/api/selector-fields.ts'
import type { StoredResource } from '../../src/store/store.ts'

export const pods: StoredResource = {
  group: '',
  resource: 'pods',
  storagePrefix: 'pods',
  namespaced: true,
  selectableFields: selectableFields({ group: '', version: 'v1', kind: 'Pod' }).own,
}

export const nodes: StoredResource = {
  group: '',
  resource: 'nodes',
  storagePrefix: 'minions',
  namespaced: false,
  selectableFields: selectableFields({ group: '', version: 'v1', kind: 'Node' }).own,
}
