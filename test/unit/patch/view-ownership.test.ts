import { describe, expect, it } from 'vitest'
import type { ValueMap } from '../../../src/api/value.ts'
import { managedFromView, managedInView, type SharedField } from '../../../src/patch/view-ownership.ts'

const REPLICAS = ['f:spec', 'f:replicas'] as const
const FIELD: SharedField = {
  viewVersion: 'autoscaling/v1',
  inView: REPLICAS,
  inObject: (apiVersion) => (apiVersion === 'apps/v1' ? REPLICAS : undefined),
}

function entry(manager: string, fields: ValueMap, more: ValueMap = {}): ValueMap {
  return {
    manager,
    operation: 'Update',
    apiVersion: 'apps/v1',
    time: '2020-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': fields },
    ...more,
  }
}

const inView = (manager: string, more: ValueMap = {}): ValueMap =>
  entry(manager, { 'f:replicas': {} }, { apiVersion: 'autoscaling/v1', ...more })

describe('managed fields in a view of one field', () => {
  it('are those of who owns the field, and of nothing else that they own', () => {
    const list = [entry('both', { 'f:paused': {}, 'f:replicas': {} }), entry('other', { 'f:paused': {} })]
    expect(managedInView(list, FIELD)).toEqual([inView('both')])
  })

  it('are not those of versions that the object does not have', () => {
    expect(managedInView([entry('old', { 'f:replicas': {} }, { apiVersion: 'apps/v0' })], FIELD)).toEqual([])
  })

  it('are none where they cannot be read', () => {
    expect(managedInView([{ manager: 5 }, 'x'], FIELD)).toEqual([])
  })
})

describe('managed fields after a write through the view', () => {
  const write = (before: readonly ValueMap[], view: readonly ValueMap[]) =>
    managedFromView({ before, view, apiVersion: 'apps/v1' }, FIELD)

  it('stay as they are where nobody gained or lost the field', () => {
    const before = [entry('both', { 'f:paused': {}, 'f:replicas': {} }), entry('other', { 'f:paused': {} })]
    expect(write(before, [inView('both')])).toEqual(before)
  })

  it('lose the field, and the entry where that was all of it', () => {
    const before = [entry('all', { 'f:replicas': {} }), entry('more', { 'f:paused': {}, 'f:replicas': {} })]
    expect(write(before, [])).toEqual([entry('more', { 'f:paused': {} })])
  })

  it('have who is new, in the version of the object', () => {
    const [made, ...more] = write([], [inView('new')]) as readonly ValueMap[]
    expect(made).toMatchObject({ manager: 'new', apiVersion: 'apps/v1', fieldsV1: { 'f:spec': { 'f:replicas': {} } } })
    expect(more).toEqual([])
  })

  it('have who owned other fields twice, both of the same time', () => {
    const before = entry('m', { 'f:paused': {} })
    const [first, second] = write([before], [inView('m', { time: '2022-02-02T00:00:00Z' })]) as readonly ValueMap[]
    expect(first).toEqual(before)
    expect(second).toEqual(entry('m', { 'f:replicas': {} }))
  })

  it('are without those of versions that the object does not have', () => {
    expect(write([entry('old', { 'f:replicas': {} }, { apiVersion: 'apps/v0' })], [])).toEqual([])
  })
})
