import { openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { ManualClock } from '../fakes/manual-clock.ts'
import { tempFolder } from '../rigs/temp-folder.ts'
import { describeKvContract } from './kv-contract.ts'

describeKvContract('embedded, on disk', {
  startsEmpty: true,
  open: async () => {
    const clock = new ManualClock()
    const kv = await openEmbedded({ dataDir: await tempFolder(), clock }, new AbortController().signal)
    return { kv, prefix: '/registry/', liveHandles: () => kv.liveHandles, advance: (ms) => clock.advance(ms) }
  },
})
