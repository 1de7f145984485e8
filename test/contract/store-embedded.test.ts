import { openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { ManualClock } from '../fakes/manual-clock.ts'
import { tempFolder } from '../rigs/temp-folder.ts'
import { describeStoresOn } from './store/open.ts'

describeStoresOn('the embedded engine', async () => {
  const clock = new ManualClock()
  const kv = await openEmbedded({ dataDir: await tempFolder(), clock }, new AbortController().signal)
  return { kv, prefix: '/registry', clock }
})
