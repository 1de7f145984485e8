import { openMemory } from '../../src/kv/embedded/memory.ts'
import { openKvStore } from '../../src/store/kv-store.ts'
import { ManualClock } from '../fakes/manual-clock.ts'
import { describeStoreContract } from './store-contract.ts'

describeStoreContract('straight on the in-memory engine', {
  open: async () => {
    const clock = new ManualClock()
    const kv = openMemory({ clock })
    return {
      store: openKvStore({ kv, prefix: '/registry' }),
      kv,
      prefix: '/registry',
      advance: (ms) => clock.advance(ms),
      close: () => kv.close(),
    }
  },
})
