import { describe, expect, it } from 'vitest'
import {
  type DependentDecision,
  decideDependent,
  type OwnerState,
} from '../../../src/controllers/dependent-decision.ts'
import type { OwnerReference } from '../../../src/controllers/ownership-graph.ts'

function reference(uid: string, blocksOwner = false): OwnerReference {
  return { apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid, blocksOwner }
}

const [a, c] = [reference('a'), reference('c')]
const goes = (propagation: 'Background' | 'Foreground' | 'Orphan'): DependentDecision => ({ kind: 'goes', propagation })

interface Given {
  readonly states: readonly OwnerState[]
  readonly finalizers?: readonly string[]
  readonly blocks?: boolean
  /** Whether each of them is deleted in the foreground. */
  readonly dependents?: readonly boolean[]
}

function fate({ states, finalizers = [], blocks = false, dependents = [] }: Given): DependentDecision {
  const references = ['a', 'b', 'c'].map((uid) => reference(uid, blocks))
  const owners = states.map((state, index) => ({ state, reference: references[index]! }))
  const those = dependents.map((deletesDependents) => ({ deletesDependents }))
  return decideDependent({ owners: references.slice(0, states.length), finalizers }, owners, those)
}

describe('an object with owners (W-357, W-359, W-363)', () => {
  it.each<[string, Given, DependentDecision]>([
    ['stays with one that is there', { states: ['solid'] }, { kind: 'stays' }],
    ['goes with its last owner', { states: ['absent'] }, goes('Background')],
    ['goes where all are gone', { states: ['absent', 'absent', 'absent'] }, goes('Background')],
    ['loses those that are gone', { states: ['absent', 'solid'] }, { kind: 'losesOwners', owners: [a] }],
    ['loses those that wait for it', { states: ['waiting', 'solid'] }, { kind: 'losesOwners', owners: [a] }],
    ['loses both', { states: ['waiting', 'solid', 'absent'] }, { kind: 'losesOwners', owners: [a, c] }],
    ['goes where its owner waits for it', { states: ['waiting'] }, goes('Background')],
    ['goes where its owners wait or are gone', { states: ['absent', 'waiting'] }, goes('Background')],
  ])('%s', (_name, given, expected) => expect(fate(given)).toEqual(expected))
})

describe('how an object goes (W-365, W-366)', () => {
  it.each<[string, Given, DependentDecision]>([
    ['as an orphan finalizer says', { states: ['absent'], finalizers: ['orphan'] }, goes('Orphan')],
    ['as a foreground finalizer says', { states: ['absent'], finalizers: ['foregroundDeletion'] }, goes('Foreground')],
    [
      'orphaning, where it has both',
      { states: ['absent'], finalizers: ['foregroundDeletion', 'orphan'] },
      goes('Orphan'),
    ],
    ['after its dependents, where an owner waits', { states: ['waiting'], dependents: [false] }, goes('Foreground')],
    [
      'after them whatever its finalizers say',
      { states: ['waiting'], dependents: [false], finalizers: ['orphan'] },
      goes('Foreground'),
    ],
    ['as ever, where no owner waits', { states: ['absent'], dependents: [true] }, goes('Background')],
  ])('%s', (_name, given, expected) => expect(fate(given)).toEqual(expected))
})

describe('a circle that is deleted in the foreground (W-363)', () => {
  it.each<[string, Given, DependentDecision]>([
    ['is opened', { states: ['waiting'], blocks: true, dependents: [false, true] }, { kind: 'stopsBlocking' }],
    ['goes once it is open', { states: ['waiting'], blocks: false, dependents: [true] }, goes('Foreground')],
    [
      'is none where nobody below waits',
      { states: ['waiting'], blocks: true, dependents: [false] },
      goes('Foreground'),
    ],
    [
      'is left alone by who has an owner',
      { states: ['waiting', 'solid'], blocks: true, dependents: [true] },
      {
        kind: 'losesOwners',
        owners: [reference('a', true)],
      },
    ],
  ])('%s', (_name, given, expected) => expect(fate(given)).toEqual(expected))
})
