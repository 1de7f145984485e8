// A controller that fails: nothing of it goes on beside the one that is started in its place.
import { expect, it } from 'vitest'
import type { Controller, ControllerParts } from '../../../src/controllers/controllers.ts'
import { definitionCleanup } from '../../../src/controllers/definition-cleanup.ts'
import { flowControlObjects } from '../../../src/controllers/flow-control-objects.ts'
import { defaultServiceAccounts } from '../../../src/controllers/namespace-defaults.ts'
import { namespaceController } from '../../../src/controllers/namespaces.ts'
import { roleAggregation } from '../../../src/controllers/role-aggregation.ts'
import type { Store } from '../../../src/store/store.ts'
import { openWorld } from '../../rigs/api-world.ts'
import { controllerParts } from '../../rigs/running-controller.ts'

it.each<[string, (parts: ControllerParts) => Controller]>([
  ['namespaces', namespaceController],
  ['what namespaces begin with', defaultServiceAccounts],
  ['definitions', (parts) => definitionCleanup(parts, () => undefined)],
  ['roles', roleAggregation],
  ['flow schemas', (parts) => flowControlObjects(parts, { levels: [], schemas: [] })],
])('the controller of %s ends as a whole where what it follows breaks', async (_name, open) => {
  const world = await openWorld()
  const parts = controllerParts(world)
  const given: AbortSignal[] = []
  const inner = world.parts.store
  const watch: Store['watch'] = (_request, until) => {
    given.push(until)
    return Promise.reject(new Error('broken'))
  }
  const store: Store = {
    get: (...asked) => inner.get(...asked),
    list: (...asked) => inner.list(...asked),
    write: (...asked) => inner.write(...asked),
    watch,
  }
  const { signal } = new AbortController()
  const running = open({ ...parts, registry: { ...parts.registry, store } }).run(signal)
  await expect(running).rejects.toThrow('broken')
  // Its queue runs by the same signal, and has ended too.
  expect(given.length).toBeGreaterThan(0)
  expect(given.every(({ aborted }) => aborted)).toBe(true)
})
