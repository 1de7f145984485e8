import { expect, it } from 'vitest'
import { deleteObject } from '../../../src/registry/delete.ts'
import { openWorld } from '../../rigs/api-world.ts'

const OPTIONS = {
  gracePeriodSeconds: undefined,
  preconditions: { uid: undefined, resourceVersion: undefined },
  orphanDependents: undefined,
  propagationPolicy: undefined,
  ignoreReadErrors: false,
} as const

it('a name that is taken is refused, and whoever waits for it is told where its owner is going', async () => {
  const world = await openWorld()
  const maps = world.resource('configmaps')
  const metadata = { name: 'c', finalizers: ['example.com/held'] }
  await world.create(maps, { metadata })
  await expect(world.create(maps, { metadata })).rejects.toMatchObject({
    code: 409,
    message: 'configmaps "c" already exists',
  })
  await deleteObject(world.parts, maps, { name: 'c', options: OPTIONS }, world.context())
  await expect(world.create(maps, { metadata })).rejects.toMatchObject({
    code: 409,
    message: 'object is being deleted: configmaps "c" already exists',
  })
})
