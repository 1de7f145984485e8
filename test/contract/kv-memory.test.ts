import { openMemory } from '../../src/kv/embedded/memory.ts'
import { ManualClock } from '../fakes/manual-clock.ts'
import { describeKvContract } from './kv-contract.ts'

describeKvContract('in memory', {
  startsEmpty: true,
  open: async () => {
    const clock = new ManualClock()
    const kv = openMemory({ clock })
    return { kv, prefix: '/registry/', liveHandles: () => kv.liveHandles, advance: (ms) => clock.advance(ms) }
  },
})
