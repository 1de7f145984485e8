// Finds a bug that no single test shows: a controller makes a receipt for each order, and where it crashes between the two writes, or the
// answer to the first is lost, it makes a second one. In each of forty worlds other things go wrong; a seed repeats what it has shown.
import { type Client, k8s } from 'quarterdeck/client'
import { explore, ExplorationError, type ExploredWorld } from 'quarterdeck/testing'

type MakeReceipt = (maps: ReturnType<typeof mapsOf>, order: string) => Promise<string>

const mapsOf = (client: Client) => client.resource(k8s.ConfigMap).inNamespace('default')

/** A name that the server makes up: each try makes another receipt. */
const anyName: MakeReceipt = async (maps) => {
  const { metadata } = await maps.create({ metadata: { generateName: 'receipt-' } })
  return metadata.name
}

/** A name that follows from the order: a second try finds the first one's. */
const sameName: MakeReceipt = async (maps, order) => {
  const name = `receipt-${order}`
  await maps.create({ metadata: { name } }).catch(async () => maps.get(name))
  return name
}

/** Looks at the orders every second, and writes the name of the receipt into each. */
async function work(world: ExploredWorld, client: Client, make: MakeReceipt, signal: AbortSignal): Promise<void> {
  const maps = mapsOf(client)
  while (!signal.aborted) {
    await new Promise<void>((resolve) => world.clock.callAfter(1_000, resolve))
    const { items } = await maps.list({ labelSelector: 'order' })
    for (const { metadata, data } of items) {
      if (data?.['receipt'] !== undefined) continue
      await maps.update({ metadata, data: { receipt: await make(maps, metadata.name) } })
    }
  }
}

async function tryOut(make: MakeReceipt, seeds: number | readonly string[] = 40): Promise<void> {
  await explore({ seeds, servers: 2, faults: 8 }, async (world) => {
    world.run('controller', (client, signal) => work(world, client, make, signal))
    for (const name of ['a', 'b', 'c']) {
      await mapsOf(world.client).create({ metadata: { name, labels: { order: '' } } })
      await world.advance('10s')
    }
    await world.settle()
    const { items } = await mapsOf(world.client).list()
    const receipts = items.filter(({ metadata }) => metadata.name.startsWith('receipt-'))
    if (receipts.length !== 3) throw new Error(`${receipts.length} receipts for 3 orders`)
  })
}

const found = await tryOut(anyName).catch((error: unknown) => error)
if (!(found instanceof ExplorationError)) throw new Error('the bug was not found', { cause: found })
const again = await tryOut(anyName, [found.seed]).catch((error: unknown) => error)
console.log(`found, and found again: ${again instanceof ExplorationError && again.message === found.message}`)
await tryOut(sameName)
console.log('with names that follow from the orders, forty worlds are well')
