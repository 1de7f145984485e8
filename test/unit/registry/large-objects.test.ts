import { deepStrictEqual } from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import { Turns } from '../../../src/lib/turns.ts'
import type { Resource } from '../../../src/registry/registry.ts'
import { ApiWorld } from '../../fakes/api-world.ts'
import { arbitraryObject } from '../../fakes/arbitrary-object.ts'
import { lengthened } from '../../fakes/lengthened.ts'

const turns = new Turns()
const world = new ApiWorld()
const context = world.context()
const resources = [...world.resources.all()].filter(({ verbs }) => verbs.has('create'))

function largeObject(resource: Resource, seed: number): ApiObject {
  const [object] = fc.sample(arbitraryObject(resource.schema), { numRuns: 1, seed })
  const long = lengthened(object!) as ApiObject
  const { managedFields: _, ...metadata } = long.metadata
  const { value } = resource.decode({ ...long, metadata })
  return { ...value, kind: object!.kind, apiVersion: object!.apiVersion } as ApiObject
}

describe('a large object', () => {
  it.each(resources.map((resource) => [`${resource.group}/${resource.kind}`, resource] as const))(
    '%s is judged in turns as it is at once',
    async (_name, resource) => {
      for (const seed of [1, 2, 3]) {
        const object = largeObject(resource, seed)
        const stored = resource.toCanonical(resource.conversion.toStored(object))
        const faults = await resource.large?.validateCreate?.(stored, context, turns)
        deepStrictEqual(faults, resource.strategy.validateCreate(stored, context))
        deepStrictEqual(await resource.large?.toCanonical(stored, turns), stored)
        const changed = resource.toCanonical(resource.conversion.toStored(largeObject(resource, seed + 10)))
        const change = { object: changed, stored }
        const found = await resource.large?.validateUpdate?.(change, context, turns)
        deepStrictEqual(found, resource.strategy.main.validate(changed, stored, context))
      }
    },
  )
})
