import { expect, it } from 'vitest'
import type { ControllerParts } from '../../../src/controllers/controllers.ts'
import { keyedController } from '../../../src/controllers/keyed-controller.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { SILENT_LOG } from '../../../src/lib/log.ts'
import { NOW, openWorld } from '../../rigs/api-world.ts'

/** A controller of services and secrets. The objects of a type are not known before `release` of the type is called. */
async function opened() {
  const world = await openWorld()
  const gates = { services: Promise.withResolvers<void>(), secrets: Promise.withResolvers<void>() }
  const { store } = world.parts
  const slowStore: typeof store = Object.create(store, {
    watch: {
      value: async (...args: Parameters<typeof store.watch>) => {
        await Promise.race([gates[args[0].resource.resource as keyof typeof gates].promise, stopped.promise])
        return store.watch(...args)
      },
    },
    untilPresent: { value: undefined },
  })
  const parts: ControllerParts = {
    registry: { ...world.parts, store: slowStore },
    resources: () => world.resources,
    gates: new Set<string>(),
    clock: systemClock,
    now: () => NOW,
    log: SILENT_LOG,
  }
  const told: string[] = []
  const options = { name: 'test', workers: 1, whenSynced: true }
  const controller = keyedController(parts, options, (queue) => ({
    followed: ['services', 'secrets'].map((plural) => ({
      type: world.resource(plural),
      onPresent: () => {},
      onGone: () => {},
    })),
    onSynced: () => void told.push('synced'),
    work: async (key) => void told.push(key),
    loops: [async () => queue.add('key')],
  }))
  const stop = new AbortController()
  const stopped = Promise.withResolvers<void>()
  const running = controller.run(stop.signal)
  const end = async (): Promise<void> => {
    stop.abort()
    stopped.resolve()
    await running
  }
  return { told, end, release: (type: keyof typeof gates) => gates[type].resolve() }
}

const settled = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 20))

it('a controller that waits begins the work when the objects of all types are known', async () => {
  const { told, release, end } = await opened()
  release('services')
  await settled()
  expect(told).toEqual([])
  release('secrets')
  await expect.poll(() => told).toEqual(['synced', 'key'])
  await end()
})

it('a controller that is stopped before the objects are known ends without work', async () => {
  const { told, end } = await opened()
  await end()
  expect(told).toEqual([])
})
