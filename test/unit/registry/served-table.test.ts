import { expect, it } from 'vitest'
import { servedTable } from '../../../src/registry/served-table.ts'
import { openWorld } from '../../rigs/api-world.ts'

const { resources } = await openWorld()
const pods = { group: '', version: 'v1', resource: 'pods' }
const secrets = { group: '', version: 'v1', resource: 'secrets' }

it('what is switched off is neither found nor listed; all the rest is', () => {
  const table = servedTable(resources, ({ resource }) => resource !== 'pods')
  expect(table.find(pods)).toBeUndefined()
  expect(table.find(secrets)).toBe(resources.find(secrets))
  const listed = [...table.all()]
  expect(listed).not.toContain(resources.find(pods))
  expect(listed).toHaveLength([...resources.all()].filter(({ resource }) => resource !== 'pods').length)
  expect(table.findAction({ ...pods, subresource: 'binding' })).toBeUndefined()
  expect(resources.findAction({ ...pods, subresource: 'binding' })).toBeDefined()
})

it('custom resources stay', () => {
  const custom = { ...resources.find(pods)!, isCustom: true }
  const table = servedTable({ ...resources, find: () => custom, all: () => [custom] }, () => false)
  expect(table.find(pods)).toBe(custom)
  expect([...table.all()]).toEqual([custom])
})
