import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import { ApiError } from '../../../src/api/status.ts'
import { checkPreconditions } from '../../../src/registry/delete.ts'
import { decideDeletion, type DeleteOptions } from '../../../src/registry/deletion.ts'
import { NOW, openWorld } from '../../rigs/api-world.ts'

const world = await openWorld()
const EARLIER = '2030-01-02T03:04:00Z'
const LATER = '2030-01-02T03:04:35Z'

const NO_OPTIONS: DeleteOptions = {
  gracePeriodSeconds: undefined,
  preconditions: { uid: undefined, resourceVersion: undefined },
  orphanDependents: undefined,
  propagationPolicy: undefined,
  ignoreReadErrors: false,
}

interface Row {
  readonly what: string
  readonly resource?: string
  readonly group?: string
  readonly metadata?: ApiObject['metadata']
  readonly spec?: ApiObject['metadata']
  readonly status?: ApiObject['metadata']
  readonly options?: Partial<DeleteOptions>
  /** `keep`: marked already, there is nothing to write. */
  readonly becomes: 'remove' | 'keep' | 'mark' | 'markAndRemove'
  /** Of the metadata that is stored then. */
  readonly marks?: ApiObject['metadata']
}

const MARKED = { deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 }
const MARKED_BEFORE = { deletionTimestamp: EARLIER, deletionGracePeriodSeconds: 0 }
/** A pod that has ten more seconds of its thirty. */
const ENDING = { deletionTimestamp: '2030-01-02T03:04:15Z', deletionGracePeriodSeconds: 30 }
const ON_NODE = { nodeName: 'n', terminationGracePeriodSeconds: 30 }

const FINALIZERS: readonly Row[] = [
  { what: 'nothing holds it (W-308)', becomes: 'remove' },
  { what: 'grace is asked for where the kind has none (W-303)', options: { gracePeriodSeconds: 5 }, becomes: 'remove' },
  {
    what: 'a finalizer holds it (W-311, W-326)',
    metadata: { finalizers: ['a/b'] },
    becomes: 'mark',
    marks: { finalizers: ['a/b'], ...MARKED },
  },
  {
    what: 'its generation is kept (W-139)',
    metadata: { finalizers: ['a/b'], generation: 3 },
    becomes: 'mark',
    marks: { finalizers: ['a/b'], generation: 4, ...MARKED },
  },
  {
    what: 'it is marked and held already (W-313)',
    metadata: { finalizers: ['a/b'], generation: 3, ...MARKED_BEFORE },
    becomes: 'keep',
  },
  { what: 'it is marked and nothing holds it any more (W-315)', metadata: MARKED_BEFORE, becomes: 'remove' },
]

const PROPAGATION: readonly Row[] = [
  {
    what: 'Orphan (W-323)',
    options: { propagationPolicy: 'Orphan' },
    becomes: 'mark',
    marks: { finalizers: ['orphan'], ...MARKED },
  },
  {
    what: 'Foreground (W-323)',
    options: { propagationPolicy: 'Foreground' },
    becomes: 'mark',
    marks: { finalizers: ['foregroundDeletion'], ...MARKED },
  },
  { what: 'Background', options: { propagationPolicy: 'Background' }, becomes: 'remove' },
  {
    what: 'orphanDependents: true (W-324)',
    options: { orphanDependents: true },
    becomes: 'mark',
    marks: { finalizers: ['orphan'], ...MARKED },
  },
  {
    what: 'orphanDependents: false (W-324)',
    metadata: { finalizers: ['orphan'] },
    options: { orphanDependents: false },
    becomes: 'remove',
  },
  {
    what: 'nothing, but a finalizer on the object does: orphan (W-322)',
    metadata: { finalizers: ['orphan'] },
    becomes: 'mark',
    marks: { finalizers: ['orphan'], ...MARKED },
  },
  {
    what: 'nothing, but a finalizer on the object does: foregroundDeletion (W-322)',
    metadata: { finalizers: ['foregroundDeletion'] },
    becomes: 'mark',
    marks: { finalizers: ['foregroundDeletion'], ...MARKED },
  },
  {
    what: 'other than a finalizer on the object (W-322)',
    metadata: { finalizers: ['orphan', 'a/b'] },
    options: { propagationPolicy: 'Foreground' },
    becomes: 'mark',
    marks: { finalizers: ['a/b', 'foregroundDeletion'], ...MARKED },
  },
  {
    what: 'Background, where both are on the object (W-323)',
    metadata: { finalizers: ['orphan', 'foregroundDeletion'] },
    options: { propagationPolicy: 'Background' },
    becomes: 'remove',
  },
  {
    what: 'something else than the delete before it (W-314)',
    metadata: { finalizers: ['orphan'], ...MARKED_BEFORE },
    options: { propagationPolicy: 'Foreground' },
    becomes: 'mark',
    marks: { finalizers: ['foregroundDeletion'], ...MARKED_BEFORE },
  },
  {
    what: 'what the delete before it was told, in another order (W-313)',
    metadata: { finalizers: ['orphan', 'a/b'], ...MARKED_BEFORE },
    options: { propagationPolicy: 'Orphan' },
    becomes: 'keep',
  },
  {
    what: 'nothing, of a kind that orphans (W-320)',
    resource: 'jobs',
    group: 'batch',
    becomes: 'mark',
    marks: { finalizers: ['orphan'], ...MARKED },
  },
  {
    what: 'Orphan, of a kind that has no dependents (W-325)',
    resource: 'events',
    options: { propagationPolicy: 'Orphan' },
    becomes: 'remove',
  },
]

const GRACE: readonly Row[] = [
  {
    what: 'as long as it says itself (W-328)',
    spec: ON_NODE,
    becomes: 'mark',
    marks: { deletionTimestamp: LATER, deletionGracePeriodSeconds: 30 },
  },
  {
    what: 'as long as is asked for (W-328)',
    spec: ON_NODE,
    options: { gracePeriodSeconds: 5 },
    becomes: 'mark',
    marks: { deletionTimestamp: '2030-01-02T03:04:10Z', deletionGracePeriodSeconds: 5 },
  },
  {
    what: 'a second where less than nothing is asked for (W-302)',
    spec: ON_NODE,
    options: { gracePeriodSeconds: -7 },
    becomes: 'mark',
    marks: { deletionTimestamp: '2030-01-02T03:04:06Z', deletionGracePeriodSeconds: 1 },
  },
  {
    what: 'none where it is on no node (W-328, W-329)',
    spec: { terminationGracePeriodSeconds: 30 },
    becomes: 'markAndRemove',
    marks: MARKED,
  },
  {
    what: 'none where it has ended (W-328)',
    spec: ON_NODE,
    status: { phase: 'Succeeded' },
    becomes: 'markAndRemove',
    marks: MARKED,
  },
  {
    what: 'none where none is asked for (W-329)',
    spec: ON_NODE,
    metadata: { generation: 1 },
    options: { gracePeriodSeconds: 0 },
    becomes: 'markAndRemove',
    marks: { generation: 2, ...MARKED },
  },
  {
    what: 'none, and is held all the same (W-333)',
    spec: ON_NODE,
    metadata: { finalizers: ['a/b'] },
    options: { gracePeriodSeconds: 0 },
    becomes: 'mark',
    marks: { finalizers: ['a/b'], ...MARKED },
  },
  {
    what: 'less than before, the second time (W-330)',
    spec: ON_NODE,
    metadata: { ...ENDING, generation: 2 },
    options: { gracePeriodSeconds: 25 },
    becomes: 'mark',
    marks: { deletionTimestamp: '2030-01-02T03:04:10Z', deletionGracePeriodSeconds: 25, generation: 2 },
  },
  {
    what: 'no more than before (W-331)',
    spec: ON_NODE,
    metadata: ENDING,
    options: { gracePeriodSeconds: 60 },
    becomes: 'keep',
  },
  {
    what: 'as much as before (W-331)',
    spec: ON_NODE,
    metadata: ENDING,
    options: { gracePeriodSeconds: 30 },
    becomes: 'keep',
  },
  {
    what: 'what it has, whatever is to become of dependents (W-331)',
    spec: ON_NODE,
    metadata: ENDING,
    options: { propagationPolicy: 'Foreground' },
    becomes: 'keep',
  },
  {
    what: 'so much less that it is over now (W-330)',
    spec: ON_NODE,
    metadata: ENDING,
    options: { gracePeriodSeconds: 20 },
    becomes: 'mark',
    marks: { deletionTimestamp: NOW, deletionGracePeriodSeconds: 20 },
  },
  { what: 'what it has where nothing is asked for (W-331)', spec: ON_NODE, metadata: ENDING, becomes: 'keep' },
  {
    what: 'a second where it should be gone already (W-332)',
    spec: ON_NODE,
    metadata: ENDING,
    options: { gracePeriodSeconds: 10 },
    becomes: 'mark',
    marks: { deletionTimestamp: NOW, deletionGracePeriodSeconds: 1 },
  },
  {
    what: 'none any more (W-332)',
    spec: ON_NODE,
    metadata: ENDING,
    options: { gracePeriodSeconds: 0 },
    becomes: 'markAndRemove',
    marks: MARKED,
  },
  { what: 'none, and had none (W-315)', spec: ON_NODE, metadata: MARKED_BEFORE, becomes: 'remove' },
  {
    what: 'none, had none and is held',
    spec: ON_NODE,
    metadata: { finalizers: ['a/b'], ...MARKED_BEFORE },
    becomes: 'keep',
  },
].map((row) => ({ resource: 'pods', ...row }) as Row)

const NAMESPACES: readonly Row[] = [
  {
    what: 'only marked at first',
    spec: { finalizers: ['kubernetes'] },
    becomes: 'mark',
    marks: { deletionTimestamp: NOW },
  },
  {
    what: 'left alone while its own finalizers hold it',
    spec: { finalizers: ['kubernetes'] },
    metadata: { deletionTimestamp: EARLIER },
    becomes: 'keep',
  },
  {
    what: 'left alone by them whatever is to become of dependents',
    spec: { finalizers: ['kubernetes'] },
    metadata: { deletionTimestamp: EARLIER },
    options: { propagationPolicy: 'Foreground' },
    becomes: 'keep',
  },
  { what: 'removed once they are gone', metadata: { deletionTimestamp: EARLIER }, becomes: 'remove' },
  {
    what: 'held by other finalizers after that',
    metadata: { deletionTimestamp: EARLIER, finalizers: ['a/b'] },
    becomes: 'keep',
  },
].map((row) => ({ resource: 'namespaces', ...row }) as Row)

function expectDeletion(row: Row): void {
  const { resource = 'configmaps', group = '', metadata = {}, spec = {}, status = {}, options = {} } = row
  const { strategy, kind } = world.resource(resource, group)
  const stored: ApiObject = { kind, apiVersion: 'v1', metadata: { name: 'a', ...metadata }, spec, status }
  const before = structuredClone(stored)
  const deletion = decideDeletion(strategy, stored, { ...NO_OPTIONS, ...options }, NOW)
  expect(stored).toEqual(before)
  if (row.becomes === 'remove') expect(deletion).toEqual({ kind: 'remove' })
  else if (row.becomes === 'keep') expect((deletion as { object: ApiObject }).object).toBe(stored)
  else {
    expect(deletion.kind).toBe(row.becomes)
    expect((deletion as { object: ApiObject }).object.metadata).toEqual({ name: 'a', ...row.marks })
  }
}

describe('what a delete makes of an object', () => {
  it.each(FINALIZERS)('where $what: $becomes', expectDeletion)
  it.each(PROPAGATION)('whose dependents are told $what: $becomes', expectDeletion)
  it.each(GRACE)('that is a pod and gets grace, $what: $becomes', expectDeletion)
  it.each(NAMESPACES)('that is a namespace, $what: $becomes', expectDeletion)

  it('that something of its kind holds, other than finalizers: mark', () => {
    const strategy = { ...world.resource('configmaps').strategy, isHeldBack: () => true }
    const stored: ApiObject = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } }
    const object = { ...stored, metadata: { name: 'a', ...MARKED } }
    expect(decideDeletion(strategy, stored, NO_OPTIONS, NOW)).toEqual({ kind: 'mark', object })
  })
})

describe('preconditions of a delete', () => {
  const stored: ApiObject = { kind: 'X', apiVersion: 'v1', metadata: { name: 'a', uid: 'u', resourceVersion: '5' } }

  it.each([
    ['none', 'configmaps', {}, undefined],
    ['both as they are', 'configmaps', { uid: 'u', resourceVersion: '5' }, undefined],
    [
      'another uid (W-304)',
      'configmaps',
      { uid: 'x' },
      'Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (x) does not match the UID in record (u). ' +
        'The object might have been deleted and then recreated',
    ],
    [
      'another version (W-305)',
      'configmaps',
      { resourceVersion: '4' },
      'Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (4) does not match the ' +
        'ResourceVersion in record (5). The object might have been modified',
    ],
    [
      'both, and neither is right: the uid is told',
      'configmaps',
      { uid: 'x', resourceVersion: '4' },
      expect.stringContaining('the UID in the precondition (x)'),
    ],
    [
      'an empty uid, which is none that an object has',
      'configmaps',
      { uid: '' },
      expect.stringContaining('the UID in the precondition ()'),
    ],
    [
      'another uid, of a namespace (W-306)',
      'namespaces',
      { uid: 'x' },
      'Operation cannot be fulfilled on namespaces "a": Precondition failed: UID in precondition: x, UID in object meta: u',
    ],
    [
      'another version, of a namespace (W-306)',
      'namespaces',
      { resourceVersion: '4' },
      'Operation cannot be fulfilled on namespaces "a": Precondition failed: ResourceVersion in precondition: 4, ' +
        'ResourceVersion in object meta: 5',
    ],
  ])('%s', (_name, resource, given, message) => {
    const preconditions = { uid: undefined, resourceVersion: undefined, ...given }
    const check = (): void => checkPreconditions(world.resource(resource), stored, { ...NO_OPTIONS, preconditions })
    if (message === undefined) expect(check).not.toThrow()
    else {
      expect(check).toThrow(ApiError)
      expect(check).toThrow(expect.objectContaining({ reason: 'Conflict', message }))
    }
  })
})
