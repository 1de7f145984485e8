import { expect, it } from 'vitest'
import { servedResource } from '../../../src/registry/served-resource.ts'
import { openWorld } from '../../rigs/api-world.ts'

const { resources } = await openWorld()

it('what the server needs is found in the core group, or in the one that is named', () => {
  expect(servedResource(resources, 'pods').kind).toBe('Pod')
  expect(servedResource(resources, 'deployments', 'apps').kind).toBe('Deployment')
})

it.each([
  ['things', undefined, 'things is not served'],
  ['things', 'example.com', 'things.example.com is not served'],
])('what is not there is named: %s of %s', (resource, group, message) => {
  expect(() => servedResource(resources, resource, group)).toThrow(message)
})
