import { describe, expect, it } from 'vitest'
import { type Client, k8s } from '../../../src/client/client.ts'
import { explore, type ExploredWorld } from '../../../src/library/testing/testing.ts'

const mapsOf = (client: Client) => client.resource(k8s.ConfigMap).inNamespace('default')

/** Follows objects, and makes one for each. */
async function follow(world: ExploredWorld, client: Client, signal: AbortSignal, seen: string[]): Promise<void> {
  const { items, metadata } = await mapsOf(client).list()
  seen.push(`${items.length} objects at ${metadata.resourceVersion}`)
  for await (const { type, object } of mapsOf(client).watch({ resourceVersion: metadata.resourceVersion, signal })) {
    if (type === 'BOOKMARK') continue
    const { name, resourceVersion } = object.metadata
    seen.push(`${world.clock.now()} ${type} ${name} ${resourceVersion}`)
    if (type === 'ADDED' && name.startsWith('of-')) await mapsOf(client).create({ metadata: { generateName: 'made-' } })
  }
}

async function storyOf(seeds: number): Promise<readonly string[]> {
  const seen: string[] = []
  await explore({ seeds, servers: 2, faults: 8 }, async (world) => {
    world.run('follower', (client, signal) => follow(world, client, signal, seen))
    for (const identity of ['one', 'other']) {
      world.run(identity, async (client, signal) => {
        await client.runAsLeader({ namespace: 'default', name: 'lease', identity, signal }, async (over) => {
          seen.push(`${world.clock.now()} ${identity} leads`)
          await mapsOf(client).create({ metadata: { generateName: `of-${identity}-` } })
          await new Promise((resolve) => over.addEventListener('abort', resolve))
        })
      })
    }
    await mapsOf(world.client).create({ metadata: { name: 'of-nobody' } })
    await world.advance('40s')
    await world.settle()
    seen.push(...world.events)
  })
  return seen
}

/** The machine has other work: this process stands still again and again. */
function holdUp(): Disposable {
  const standStill = (): void => {
    const until = performance.now() + 20 + Math.random() * 130
    while (performance.now() < until);
    timer = setTimeout(standStill, 50)
  }
  let timer = setTimeout(standStill, 50)
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}

describe('an exploration', () => {
  it('shows the same again, also on a busy machine', async () => {
    const story = await storyOf(2)
    using _ = holdUp()
    const again = await storyOf(2)
    expect(again).toEqual(story)
    expect(story.length).toBeGreaterThan(30)
  }, 120_000)
})
