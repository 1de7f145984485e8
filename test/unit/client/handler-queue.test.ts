import { expect, it } from 'vitest'
import { HandlerQueue } from '../../../src/client/handler-queue.ts'
import type { KubernetesObject, Stored } from '../../../src/client/objects.ts'

function named(name: string): Stored<KubernetesObject> {
  return { metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '' } }
}

it('a handler sees a change at once, however soon it comes after the change before', async () => {
  for (let turns = 0; turns < 20; turns++) {
    const seen: string[] = []
    const queue = new HandlerQueue({ add: ({ metadata }) => void seen.push(metadata.name) }, () => {})
    queue.push({ type: 'add', object: named('first') })
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    queue.push({ type: 'add', object: named('second') })
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen, `after ${turns} turns`).toEqual(['first', 'second'])
    await queue.close()
  }
})
