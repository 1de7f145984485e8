import { expect, it } from 'vitest'
import type { KvEvent } from '../../src/kv/kv.ts'
import { findBrokenPromises, type Outcome, type WriteRecord } from './write-history.ts'

function put(key: string, value: string, revision: number): KvEvent {
  return { kind: 'put', key, value: Buffer.from(value), revision, createRevision: revision }
}

function record(value: string | undefined, expected: number, outcome: Outcome): WriteRecord {
  return { key: 'a', expected, outcome, ...(value === undefined ? {} : { value }) }
}

const won = (revision: number): Outcome => ({ kind: 'won', revision })
const lost: Outcome = { kind: 'lost' }
const unknown: Outcome = { kind: 'unknown' }
const gone: KvEvent = { kind: 'delete', key: 'a', revision: 3 }

it.each([
  ['all is well', [put('a', 'x', 2), gone], [record('x', 0, won(2)), record(undefined, 2, won(3))], []],
  ['a loser', [put('a', 'x', 2)], [record('x', 0, won(2)), record('y', 0, lost)], []],
  ['in doubt, and it happened', [put('a', 'x', 2)], [record('x', 0, unknown)], []],
  ['in doubt, and it did not', [put('a', 'x', 2)], [record('x', 0, won(2)), record('y', 0, unknown)], []],
  ['acknowledged and not there', [], [record('x', 0, won(2))], ['an acknowledged write is not there']],
  ['told lost, and it happened', [put('a', 'x', 2)], [record('x', 0, lost)], ['happened though nobody says so']],
  [
    'written again',
    [put('a', 'x', 2), gone, put('a', 'x', 4)],
    [record('x', 0, won(2)), record(undefined, 2, won(3))],
    ['happened though nobody says so', 'a write happened twice'],
  ],
  [
    'two winners',
    [put('a', 'x', 2), gone],
    [record('x', 0, won(2)), record(undefined, 2, won(3)), record(undefined, 2, won(3))],
    ['a revision has two winners'],
  ],
  [
    'not what was expected',
    [put('a', 'x', 2), put('a', 'y', 3)],
    [record('x', 0, won(2)), record('y', 0, won(3))],
    ['won on another revision'],
  ],
])('a history is judged: %s', (_, events, records, broken) => {
  const found = findBrokenPromises(records, events)
  expect(found).toHaveLength(broken.length)
  for (const [index, text] of broken.entries()) expect(found[index]).toContain(text)
})
