// One server is set up; each test gets a fork of it, and nothing that one test does shows in another. A server can also go back.
import { startServer, type Server } from 'quarterdeck'
import { k8s } from 'quarterdeck/client'

const maps = (server: Server) => server.client().resource(k8s.ConfigMap).inNamespace('default')

await using server = await startServer()
await maps(server).create({ metadata: { name: 'settings' }, data: { colour: 'red' } })

const tests: Record<string, (server: Server) => Promise<unknown>> = {
  'paints it blue': (fork) => maps(fork).patch('settings', { data: { colour: 'blue' } }),
  'deletes it': (fork) => maps(fork).delete('settings'),
}
for (const [name, test] of Object.entries(tests)) {
  await using fork = await server.fork()
  await test(fork)
  const { items } = await maps(fork).list({ fieldSelector: 'metadata.name=settings' })
  console.log(`${name}: ${items[0]?.data?.['colour'] ?? 'gone'}`)
}

const before = server.snapshot()
await maps(server).delete('settings')
await server.restore(before)
console.log(`the server has ${(await maps(server).get('settings')).data?.['colour']}`)
