import { expect, it } from 'vitest'
import { openWorld } from '../../rigs/api-world.ts'

it.each([
  ['labelSelector=app=a', 'that was relabelled'],
  ['labelSelector=app=a', 'that was made again'],
  ['', 'that was made again'],
])('a DELETE of a collection as it was, with %j, keeps an object %s', async (query, how) => {
  const world = await openWorld()
  const maps = '/api/v1/namespaces/ns/configmaps'
  const make = (name: string, app: string) =>
    world.send({ method: 'POST', path: maps, body: { metadata: { name, labels: { app } } } })
  for (const name of ['a', 'b']) await make(name, 'a')
  const { body: before } = await world.send({ method: 'GET', path: maps })
  const { resourceVersion } = (before as { metadata: { resourceVersion: string } }).metadata
  if (how === 'that was made again') {
    await world.send({ method: 'DELETE', path: `${maps}/a` })
    await make('a', 'a')
  } else {
    await world.send({ method: 'PUT', path: `${maps}/a`, body: { metadata: { name: 'a', labels: { app: 'b' } } } })
  }
  const path = `${maps}?${query}&resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`
  // The options in the body keep the resourceVersion from being a precondition.
  const body = { kind: 'DeleteOptions', apiVersion: 'v1' }
  expect(await world.send({ method: 'DELETE', path, body })).toMatchObject({ status: 200 })
  expect(await world.send({ method: 'GET', path: `${maps}/a` })).toMatchObject({ status: 200 })
  expect(await world.send({ method: 'GET', path: `${maps}/b` })).toMatchObject({ status: 404 })
})
