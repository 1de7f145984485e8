// Lists pods, page by page, of the server that kubectl would ask.
import { Client, k8s } from 'quarterdeck/client'

using client = new Client()

await client.resource(k8s.Pod).create({
  metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'nginx' }] },
})

for await (const page of client.resource(k8s.Pod).pages({ labelSelector: { app: 'web' }, limit: 100 })) {
  for (const { metadata, spec } of page.items) {
    console.log(`${metadata.namespace}/${metadata.name} runs ${spec?.containers.map(({ image }) => image).join(', ')}`)
  }
}
