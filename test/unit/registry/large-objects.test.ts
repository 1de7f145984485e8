import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import { Turns } from '../../../src/lib/turns.ts'
import { claimsAfterUpdate, trackCreationInTurns, trackUpdate } from '../../../src/patch/field-tracking.ts'
import { withClaimsInTurns } from '../../../src/patch/managed-fields.ts'
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
    '%s is owned and judged in turns as it is at once',
    async (_name, resource) => {
      for (const seed of [1, 2, 3]) {
        const object = largeObject(resource, seed)
        const { kind, apiVersion } = object
        const request = {
          versions: resource.versions,
          apiVersion,
          manager: 'm',
          subresource: '',
          reset: resource.versions.sets.ofNames(resource.strategy.main.resetFields),
          now: context.now,
          live: { kind, apiVersion },
        }
        const tracked = trackUpdate(request, object)
        expect(await trackCreationInTurns(request, object, turns)).toEqual(tracked)
        const live = { ...tracked, metadata: { ...tracked.metadata, uid: 'u' } }
        const changed = { ...largeObject(resource, seed + 10), metadata: live.metadata }
        const update = { ...request, manager: 'n', live }
        const claimed = claimsAfterUpdate(update, changed)
        expect(await withClaimsInTurns(claimed, turns)).toEqual(trackUpdate(update, changed))
        const stored = resource.toCanonical(resource.conversion.toStored(object))
        const faults = await resource.large?.validateCreate?.(stored, context, turns)
        expect(faults).toEqual(resource.strategy.validateCreate(stored, context))
        expect(await resource.large?.toCanonical(stored, turns)).toEqual(stored)
      }
    },
  )
})
