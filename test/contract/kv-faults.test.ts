// The store that faults can be injected into is the store below it, while there are none.
import { StoreFaults } from '../../src/library/faults/store-faults.ts'
import { openMemory } from '../../src/kv/embedded/memory.ts'
import { ManualClock } from '../fakes/manual-clock.ts'
import { describeKvContract } from './kv-contract.ts'

describeKvContract('in memory, open to faults', {
  startsEmpty: true,
  open: async () => {
    const clock = new ManualClock()
    const memory = openMemory({ clock })
    const kv = new StoreFaults().wrap(memory)
    return { kv, prefix: '/registry/', liveHandles: () => memory.liveHandles, advance: (ms) => clock.advance(ms) }
  },
})
