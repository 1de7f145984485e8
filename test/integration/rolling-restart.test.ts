// A slice of the rolling restarts in test/long: one replica of two is restarted under load.
import { it } from 'vitest'
import { COMMAND } from '../rigs/command.ts'
import { RolledReplicas, rollUnderLoad } from '../rigs/rolled-replicas.ts'
import { RollingLoad } from '../rigs/rolling-load.ts'

it('no request fails while a replica is restarted, behind a balancer and without one', async () => {
  const replicas = await RolledReplicas.start({ count: 2, shutdownDelay: '3s' })
  await using load = await RollingLoad.begin([replicas.direct, await replicas.balanced()], replicas)
  await rollUnderLoad(replicas, load, [COMMAND])
})
