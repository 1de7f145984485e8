import { describe, expect, it, test } from 'vitest'
import { openWorld } from '../../../rigs/api-world.ts'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { judge, NOT_NEGATIVE, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('coordination.k8s.io Lease has these columns', () =>
    expectColumns('coordination.k8s.io Lease', ['Name : string name', 'Holder', 'Age']))

  it.each<CellRow>([['coordination.k8s.io Lease', 'held', { spec: { holderIdentity: 'h' } }, ['h']]])(
    'of %s, %s',
    expectCells,
  )
})

describe('validation', () => {
  const POSITIVE = 'must be greater than 0'
  it.each<Row>([
    ...rows(
      'coordination.k8s.io/v1 Lease',
      ['no time', { 'spec/leaseDurationSeconds': 0 }, `spec.leaseDurationSeconds: Invalid value: 0: ${POSITIVE}`],
      [
        'fewer changes than none',
        { 'spec/leaseTransitions': -1 },
        `spec.leaseTransitions: Invalid value: -1: ${NOT_NEGATIVE}`,
      ],
      ['a finalizer without a domain', { 'metadata/finalizers': ['x'] }],
    ),
    {
      of: 'coordination.k8s.io/v1 Lease',
      case: 'a wish without a way',
      set: { 'spec/preferredHolder': 'h' },
      gates: ['CoordinatedLeaderElection'],
      told: ['spec.preferredHolder: Forbidden: may only be specified when `strategy` is defined'],
    } satisfies Row,
  ])('$of: $case', judge)
})

test('what belongs to coordinated elections is dropped from leases while these are off', async () => {
  const world = await openWorld()
  const leases = world.resource('leases', 'coordination.k8s.io')
  const spec = { holderIdentity: 'me', leaseDurationSeconds: 10, strategy: 'OldestEmulationVersion' }
  expect((await world.create(leases, { metadata: { name: 'a' }, spec }))['spec']).not.toHaveProperty('strategy')
  const on = await openWorld({ gates: ['CoordinatedLeaderElection'] })
  const made = await on.create(leases, { metadata: { name: 'b' }, spec })
  expect(made['spec']).toHaveProperty('strategy')
  const key = { resource: leases.stored, namespace: 'ns', name: 'b' }
  await world.parts.store.write(key, () => ({ kind: 'put', object: made }), new AbortController().signal)
  const kept = await world.update(leases, 'b', (live) => ({ ...live, spec: { ...spec, holderIdentity: 'you' } }))
  expect(kept['spec']).toHaveProperty('strategy')
})
