// A server whose time stands still until it is moved: what is kept for an hour is gone in a moment. With a seed, uids are the same in every run.
import { startServer } from 'quarterdeck'
import { k8s } from 'quarterdeck/client'

async function keepAnEvent(): Promise<string> {
  await using server = await startServer({ clock: 'virtual', seed: 'example' })
  const events = server.client().resource(k8s.Event).inNamespace('default')
  const involvedObject = { kind: 'Pod', namespace: 'default', name: 'web' }
  const { metadata } = await events.create({ metadata: { name: 'started' }, involvedObject })
  for (const minutes of [59, 1]) {
    await server.clock.advance(`${minutes}m`)
    const { items } = await events.list()
    console.log(`${new Date(server.clock.now()).toISOString()}: ${items.length} events`)
  }
  return metadata.uid
}

const [first, second] = [await keepAnEvent(), await keepAnEvent()]
console.log(first === second)
