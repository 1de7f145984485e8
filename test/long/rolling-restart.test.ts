// Ten rolls in a row under mixed load: whoever asks again where a connection was refused or closed before an answer sees nothing of them.
import { it } from 'vitest'
import { COMMAND } from '../rigs/command.ts'
import { RolledReplicas, rollUnderLoad } from '../rigs/rolled-replicas.ts'
import { RollingLoad } from '../rigs/rolling-load.ts'

const TEN_ROLLS = Array.from({ length: 10 }, () => COMMAND)

it.each([2, 3])('%i replicas are rolled ten times, behind a balancer and without one', async (count) => {
  const replicas = await RolledReplicas.start({ count, shutdownDelay: '3s' })
  await using load = await RollingLoad.begin([replicas.direct, await replicas.balanced()], replicas)
  await rollUnderLoad(replicas, load, TEN_ROLLS)
})

it('two replicas of two workers each are rolled ten times', async () => {
  const replicas = await RolledReplicas.start({ count: 2, shutdownDelay: '1s', flags: ['--workers=2'] })
  await using load = await RollingLoad.begin([replicas.direct], replicas)
  await rollUnderLoad(replicas, load, TEN_ROLLS)
})

it('two replicas are rolled ten times without a shutdown delay', async () => {
  const replicas = await RolledReplicas.start({ count: 2, shutdownDelay: '0s' })
  await using load = await RollingLoad.begin([replicas.direct], replicas)
  await rollUnderLoad(replicas, load, TEN_ROLLS)
})
