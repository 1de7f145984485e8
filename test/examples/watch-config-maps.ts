// Prints what happens to config maps until one of them is deleted.
import { Client, k8s } from 'quarterdeck/client'

using client = new Client()
const configMaps = client.resource(k8s.ConfigMap).inNamespace('default')

// From where a list was, so that nothing in between is missed.
const { metadata } = await configMaps.list()
await configMaps.create({ metadata: { name: 'settings' }, data: { colour: 'red' } })
await configMaps.patch('settings', { data: { colour: 'blue' } })
await configMaps.delete('settings')

for await (const event of configMaps.watch({ resourceVersion: metadata.resourceVersion })) {
  if (event.type === 'BOOKMARK') continue
  console.log(`${event.type} ${event.object.metadata.name} ${event.object.data?.['colour']}`)
  if (event.type === 'DELETED') break
}
