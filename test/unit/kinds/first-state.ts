// What the tests of new objects share: what the server makes of an object that is created.
import { expect } from 'vitest'
import { openWorld } from '../../rigs/api-world.ts'

export interface StateRow {
  readonly name: string
  /** The plural and the group. */
  readonly at: readonly [string, string?]
  readonly object: object
  readonly expected: object
}

export async function expectState({ at, object, expected }: StateRow): Promise<void> {
  const world = await openWorld()
  expect(await world.create(world.resource(...at), object)).toMatchObject(expected)
}
