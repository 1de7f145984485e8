import { openMemory } from '../../src/kv/embedded/memory.ts'
import { ManualClock } from '../fakes/manual-clock.ts'
import { describeStoresOn } from './store/open.ts'

describeStoresOn('the in-memory engine', async () => {
  const clock = new ManualClock()
  return { kv: openMemory({ clock }), prefix: '/registry', clock }
})
