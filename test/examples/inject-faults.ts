// Shows that a program copes: its update meets a conflict twice, its informer loses its watch, and the store goes away for a moment.
import { startServer } from 'quarterdeck'
import { hasReason, k8s } from 'quarterdeck/client'

await using server = await startServer()
const maps = server.client().resource(k8s.ConfigMap).inNamespace('default')
await maps.create({ metadata: { name: 'visits' }, data: { count: '0' } })

/** What is tested: reads, changes, and begins anew where somebody else was faster. */
async function visit(): Promise<string> {
  for (;;) {
    const { data, ...map } = await maps.get('visits')
    const count = String(Number(data?.['count']) + 1)
    try {
      await maps.update({ ...map, data: { count } })
      return count
    } catch (error) {
      if (!hasReason(error, 'Conflict')) throw error
    }
  }
}

const conflict = server.faults.fail(
  { verb: 'update', resource: 'configmaps', name: 'visits' },
  { status: 409, times: 2 },
)
console.log(`visit ${await visit()} after ${conflict.hits} conflicts`)

await using informer = maps.informer()
const heard = Promise.withResolvers<void>()
informer.addHandler({ update: () => heard.resolve() })
await informer.start().waitForSync()
console.log(`${server.faults.watches({ kind: 'ConfigMap' }).cut().hits} watch cut`)
await visit()
await heard.promise
console.log('heard of it all the same')

{
  using _ = server.faults.storeOutage()
  await visit().catch((error: unknown) => console.log(hasReason(error, 'ServerTimeout') ? 'no store' : error))
}
console.log(`visit ${await visit()}`)
