// Keeps a copy of all secrets, finds them by an index, and is told of changes.
import { Client, k8s } from 'quarterdeck/client'

using client = new Client()
const secrets = client.resource(k8s.Secret)

await using informer = secrets.informer({ indexers: { byType: ({ type }) => (type === undefined ? [] : [type]) } })
const [updated, deleted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
informer.addHandler({
  add: ({ metadata }) => console.log(`added ${metadata.name}`),
  update: (old, { metadata, data }) => {
    console.log(
      `updated ${metadata.name}: ${Object.keys(old.data ?? {}).length} keys, now ${Object.keys(data ?? {}).length}`,
    )
    updated.resolve()
  },
  delete: ({ metadata }) => {
    console.log(`deleted ${metadata.name}`)
    deleted.resolve()
  },
})
informer.start()
await informer.waitForSync(AbortSignal.timeout(10_000))

const here = secrets.inNamespace('default')
await here.create({ metadata: { name: 'key' }, stringData: { user: 'me' } })
await here.patch('key', { stringData: { password: 'x' } })
await updated.promise
console.log(`${informer.byIndex('byType', 'Opaque').length} opaque`)
await here.delete('key')
await deleted.promise
