// A store that does some things differently from another.
import type { Store } from '../../src/store/store.ts'

export function changedStore(store: Store, changes: Partial<Store>): Store {
  return {
    get: (key, at, signal) => store.get(key, at, signal),
    list: (request, signal) => store.list(request, signal),
    watch: (request, signal) => store.watch(request, signal),
    write: (key, decide, signal) => store.write(key, decide, signal),
    ...changes,
  }
}
