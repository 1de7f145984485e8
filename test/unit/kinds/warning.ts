// What the tests of warnings share: what a client is told of an object that is taken all the same.
import { expect } from 'vitest'
import type { ValueMap } from '../../../src/api/value.ts'
import { canonicalOf } from '../../corpora/kind-of.ts'
import { openWorld } from '../../rigs/api-world.ts'

export interface WarningRow {
  readonly name: string
  /** The plural and the group. */
  readonly at: readonly [string, string?]
  readonly object: object
  readonly warnings: readonly string[]
}

export const container = { name: 'c', image: 'i' }
export const deployment = (spec: object, name = 'd'): object => ({
  metadata: { name },
  spec: { template: { metadata: { labels: { app: 'x' } }, spec: { containers: [container], ...spec } } },
})
export const DNS_LABEL = 'a DNS label is recommended'

export async function expectWarnings({ at, object, warnings }: WarningRow): Promise<void> {
  const world = await openWorld()
  const { strategy, storedKind } = world.resource(...at)
  const canonical = canonicalOf(storedKind, object as ValueMap)
  expect(strategy.warnings(canonical, undefined, world.context())).toEqual(warnings)
}
