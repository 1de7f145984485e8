// Each check is proven by a planted bug: a small history that is as it should be passes, and with one thing wrong in it that one check tells.
import { expect, it } from 'vitest'
import { checkWindow, type Window } from './checks.ts'
import type { Follow, Get, History, List, SeenObject, Told, Watch, Write } from './history.ts'
import type { LeaseVersion } from './leader-checks.ts'
import { type TrueEvent, Truth } from './truth.ts'

const [A, B] = ['ns/a', 'ns/b']
const LOG = 'ns/log'

function object(key: string, revision: number, value: string, color = 'red'): SeenObject {
  return { key, revision, value, color, uid: `${key}#1` }
}

const A2 = object(A, 2, 'v2')
const B3 = object(B, 3, 'v3', 'blue')
const A4 = object(A, 4, 'v4')
const B5 = object(B, 5, 'v5')
const [A7, B7] = [object(A, 7, 'v7'), object(B, 7, 'v7')]

/** a is made and changed, b is made, changes its colour, both are changed in one revision, and a goes. */
const EVENTS: readonly TrueEvent[] = [
  { revision: 2, key: A, object: A2 },
  { revision: 3, key: B, object: B3 },
  { revision: 4, key: A, object: A4 },
  { revision: 5, key: B, object: B5 },
  { revision: 7, key: A, object: A7 },
  { revision: 7, key: B, object: B7 },
  { revision: 8, key: A, object: undefined },
]

function span(start: number): { client: string; start: number; end: number } {
  return { client: 'c', start, end: start + 1 }
}

function done(revision: number): Write['outcome'] {
  return { kind: 'done', revision, uid: '' }
}

const CREATE_A: Write = { ...span(20), verb: 'create', key: A, value: 'v2', outcome: done(2) }
const CREATE_B: Write = { ...span(30), verb: 'create', key: B, value: 'v3', outcome: done(3) }
const UPDATE_A: Write = { ...span(40), verb: 'update', key: A, value: 'v4', expected: 2, outcome: done(4) }
const PATCH_B: Write = { ...span(50), verb: 'patch', key: B, value: 'v5', outcome: done(5) }
const BOTH: readonly Write[] = [A, B].map((key) => ({
  ...span(70),
  verb: 'together',
  key,
  value: 'v7',
  transaction: 'v7',
  outcome: { kind: 'unknown', why: 'cut off' },
}))
const DELETE_A: Write = { ...span(80), verb: 'delete', key: A, expected: 7, outcome: { kind: 'done', uid: A2.uid } }
const LOSER: Write = { ...span(45), verb: 'create', key: A, value: 'never', outcome: { kind: 'refused', status: 409 } }
const WRITES: readonly Write[] = [CREATE_A, CREATE_B, UPDATE_A, PATCH_B, ...BOTH, DELETE_A, LOSER]

const GET: Get = { ...span(60), key: B, found: B5 }
const GET_GONE: Get = { ...span(90), key: A, found: undefined }
const LIST: List = { ...span(60), scope: { namespace: 'ns' }, at: { kind: 'latest' }, revision: 6, items: [A4, B5] }
const PAGES: List = { ...LIST, pages: [6, 6] }
const EXACT: List = { ...LIST, at: { kind: 'exact', revision: 3 }, revision: 3, items: [A2, B3] }
const NOT_OLDER: List = { ...LIST, at: { kind: 'notOlderThan', revision: 5 } }

function told(type: Told['type'], seen: SeenObject, revision = seen.revision): Told {
  return { type, revision, object: { ...seen, revision } }
}

function bookmark(revision: number, isInitialEnd = false): Told {
  return isInitialEnd ? { type: 'BOOKMARK', revision, isInitialEnd } : { type: 'BOOKMARK', revision }
}

const SINCE_THREE = [
  told('MODIFIED', A4),
  told('MODIFIED', B5),
  bookmark(6),
  told('MODIFIED', A7),
  told('MODIFIED', B7),
  told('DELETED', A7, 8),
  bookmark(9),
]

function watch(seen: readonly Told[], after = 3, color?: string): Watch {
  return { ...span(60), scope: { namespace: 'ns', ...(color === undefined ? {} : { color }) }, after, told: seen }
}

/** With the newest state first. */
function watchAll(seen: readonly Told[]): Watch {
  return { ...watch(seen), after: undefined }
}

const RED = [told('MODIFIED', A4), told('ADDED', B5), told('MODIFIED', A7), told('MODIFIED', B7)]
const BLUE = [told('ADDED', B3), told('DELETED', B3, 5)]
const FOLLOW: Follow = {
  before: EXACT,
  watch: watch(SINCE_THREE),
  after: { ...span(95), scope: { namespace: 'ns' }, at: { kind: 'exact', revision: 9 }, revision: 9, items: [B7] },
}

function lease(revision: number, holder: string, ms: number, transitions: number): LeaseVersion {
  return { revision, holder, transitions, renewedMs: ms, seenMs: ms, durationMs: 6_000 }
}

const LEASES = [lease(1, 'one_1', 0, 0), lease(6, 'one_1', 2_000, 0), lease(9, 'two_1', 8_100, 1)]

interface Story extends Partial<History> {
  readonly events?: readonly TrueEvent[]
  readonly leases?: readonly LeaseVersion[]
}

function violationsOf(story: Story): readonly string[] {
  const truth = new Truth()
  for (const event of story.events ?? EVENTS) truth.add(event)
  truth.reach(9)
  const history: History = {
    writes: WRITES,
    gets: [GET, GET_GONE],
    lists: [LIST, PAGES, EXACT, NOT_OLDER],
    watches: [
      watch(SINCE_THREE),
      watch(RED, 3, 'red'),
      watch(BLUE, 2, 'blue'),
      // Of revision 7, which has two changes, all are told again (D35).
      watch(SINCE_THREE.slice(3), 7),
      watchAll([told('ADDED', A4), told('ADDED', B5), bookmark(6, true), ...SINCE_THREE.slice(3)]),
    ],
    follows: [FOLLOW],
    surprises: [],
    ...story,
  }
  const window: Window = { truth, history, open: [], floor: 1, leases: story.leases ?? LEASES, leaderLog: LOG }
  return checkWindow(window).violations
}

it('a history that is as it should be has no violation', () => {
  expect(violationsOf({})).toEqual([])
})

it('what is in doubt stays open until it is seen', () => {
  const truth = new Truth()
  truth.reach(9)
  const history: History = { writes: BOTH, gets: [], lists: [], watches: [], follows: [], surprises: [] }
  const window: Window = { truth, history, open: [], floor: 1, leases: [], leaderLog: LOG }
  expect(checkWindow(window)).toEqual({ violations: [], open: BOTH })
})

it('a deletion belongs to the delete in doubt that began first, though another one ended before it', () => {
  const outcome = { kind: 'unknown', why: '504' } as const
  const [late, early] = [200, 80].map((start) => ({ ...DELETE_A, start, outcome }))
  const deletes = [
    { ...late!, end: 201 },
    { ...early!, end: 202 },
  ]
  expect(violationsOf({ writes: [...without(DELETE_A), ...deletes] })).toEqual([])
})

const without = (write: Write): readonly Write[] => WRITES.filter((one) => one !== write)
const logged = (revision: number, value: string): TrueEvent => ({
  revision,
  key: LOG,
  object: object(LOG, revision, value),
})
const log = (...values: readonly string[]): Story => ({
  events: values.map((value, i) => logged(i + 2, value)),
  writes: values.map((value, i) => ({ ...span(10 * i), verb: 'together', key: LOG, value, outcome: done(i + 2) })),
  gets: [],
  lists: [],
  watches: [],
  follows: [],
})

const PLANTED: readonly (readonly [string, Story, string])[] = [
  [
    'an acknowledged write that is not there',
    { writes: [...WRITES, { ...UPDATE_A, value: 'lost', outcome: done(6) }] },
    'acknowledged: c: update ns/a = lost (told 6) is not there',
  ],
  [
    'an acknowledged write at another revision',
    { writes: [...without(UPDATE_A), { ...UPDATE_A, outcome: done(5) }] },
    'acknowledged: c: update ns/a = v4 (told 5) is not there, but 4',
  ],
  [
    'an acknowledged delete that is not there',
    { writes: [...without(DELETE_A), { ...DELETE_A, outcome: { kind: 'done', uid: 'other' } }] },
    'acknowledged: c: delete ns/a (told other) is not there',
  ],
  [
    'a refused write that is there',
    { writes: [...without(UPDATE_A), { ...UPDATE_A, outcome: { kind: 'refused', status: 409 } }] },
    'refused: c: update ns/a = v4 (refused) is there at 4',
  ],
  [
    'a write that happens twice',
    { events: [...EVENTS, { revision: 9, key: B, object: object(B, 9, 'v5') }] },
    'once: c: patch ns/b = v5 (told 5) is there again at 9',
  ],
  ['a deletion with two winners', { writes: [...WRITES, DELETE_A] }, 'one winner: c: delete ns/a'],
  [
    'a value that nobody wrote',
    { writes: without(PATCH_B) },
    'asked for: the value v5 of ns/b at 5 belongs to no request',
  ],
  [
    'a deletion that nobody asked for',
    { writes: without(DELETE_A) },
    'asked for: a deletion of ns/a at 8 belongs to no request',
  ],
  [
    'a condition that did not hold',
    { writes: [...without(UPDATE_A), { ...UPDATE_A, expected: 1 }] },
    'condition: c: update ns/a = v4 (told 4) named 1 and replaced 2 at 4',
  ],
  [
    'a create of what was there',
    { writes: [...without(UPDATE_A), { ...CREATE_A, ...span(40), value: 'v4', outcome: done(4) }] },
    'condition: c: create ns/a = v4 (told 4) replaced 2',
  ],
  [
    'a write before one that had ended',
    { writes: [...without(CREATE_B), { ...CREATE_B, start: 45, end: 46 }] },
    'order: c: create ns/b = v3 (told 3) is at 3, and 4 was known before it began',
  ],
  [
    'a write in doubt before one that had ended',
    { writes: [...without(CREATE_B), { ...CREATE_B, ...span(45), outcome: { kind: 'unknown', why: '504' } }] },
    'order: c: create ns/b = v3 (unknown) is at 3',
  ],
  [
    'a get of what was replaced',
    { gets: [{ ...GET, found: B3 }] },
    'stale get: 3 was replaced at 5, and 5 was known before',
  ],
  [
    'a get that does not find what is there',
    { gets: [{ ...GET, found: undefined }] },
    'stale get: nothing was found, and since 5 it was there all the time',
  ],
  ['a get of what comes later', { gets: [{ ...span(25), key: B, found: B5 }] }, 'future get: 5'],
  [
    'a get of what was never stored',
    { gets: [{ ...GET, found: { ...B5, value: 'x' } }] },
    'content of a get: ns/b@5 = x',
  ],
  ['a stale list', { lists: [{ ...LIST, revision: 4, items: [A4, B3] }] }, 'stale list: at 4, and 5 was known before'],
  [
    'a list older than another one before it',
    { lists: [LIST, { ...LIST, ...span(65), revision: 5 }] },
    'stale list: at 5, and 6 was known before',
  ],
  ['a list of the future', { lists: [{ ...LIST, revision: 7, items: [A7, B7] }], gets: [] }, 'future list: at 7'],
  [
    'a list without one of its objects',
    { lists: [{ ...LIST, items: [A4] }] },
    'content of a list at 6: ns/b@5 = v5 is missing',
  ],
  [
    'a list with an object twice',
    { lists: [{ ...LIST, items: [A4, B5, B5] }] },
    'content of a list at 6: ns/b is there twice',
  ],
  [
    'a list with one that was gone',
    { lists: [{ ...FOLLOW.after, items: [A7, B7] }] },
    'content of a list at 9: ns/a@7 = v7 should not be there',
  ],
  [
    'a list with half of a transaction',
    { lists: [{ ...LIST, ...span(72), revision: 7, items: [A7, B5] }] },
    'content of a list at 7: ns/b@5 = v5 should be ns/b@7 = v7',
  ],
  [
    'a selected list with one that does not match',
    { lists: [{ ...EXACT, scope: { namespace: 'ns', color: 'red' } }] },
    'content of a list at 3: ns/b@3 = v3 should not be there',
  ],
  ['pages of two revisions', { lists: [{ ...PAGES, pages: [6, 7] }] }, 'pages: one is at 7 and another at 6'],
  ['an inexact list', { lists: [{ ...EXACT, at: { kind: 'exact', revision: 2 } }] }, 'inexact list: 3 for 2'],
  [
    'a list older than was asked for',
    { lists: [{ ...EXACT, at: { kind: 'notOlderThan', revision: 5 } }] },
    'too old list: 3 for 5',
  ],
  [
    'ordered: events the wrong way round',
    { watches: [watch([SINCE_THREE[1]!, SINCE_THREE[0]!])] },
    'ordered: 4 was told after 5',
  ],
  ['unique: an event twice', { watches: [watch([SINCE_THREE[0]!, SINCE_THREE[0]!])] }, 'unique: ns/a@4 was told twice'],
  [
    'whole: half of a transaction is stored',
    { writes: [...WRITES.filter((one) => one !== BOTH[1]), { ...BOTH[1]!, value: 'never' }] },
    'whole: c: together ns/a = v7 (unknown) was written in parts: ns/a@7 and ns/b@nowhere',
  ],
  [
    'atomic: half of a transaction',
    { watches: [watch(SINCE_THREE.filter((one) => one !== SINCE_THREE[4]))] },
    'atomic: of revision 7 ns/b was left out',
  ],
  [
    'reliable: a gap',
    { watches: [watch(SINCE_THREE.filter((one) => one !== SINCE_THREE[1]))] },
    'reliable: MODIFIED ns/b@5 was not told, and 9 was',
  ],
  [
    'reliable: nothing but a bookmark',
    { watches: [watch([bookmark(6)])] },
    'reliable: MODIFIED ns/a@4 was not told, and 6 was',
  ],
  [
    'reliable: what never happened',
    { watches: [watch([...SINCE_THREE, told('MODIFIED', B7, 9)])] },
    'reliable: MODIFIED ns/b@9 was told and never happened',
  ],
  [
    'resumable: the first is missing',
    { watches: [watch(SINCE_THREE.slice(1))] },
    'resumable: began with 5, and 4 comes next after 3',
  ],
  [
    'resumable: from before the start',
    { watches: [watch([told('ADDED', B3), ...SINCE_THREE])] },
    'resumable: began with 3, which is not after 3',
  ],
  [
    'resumable: the changes of a transaction are not told again',
    { watches: [watch(SINCE_THREE.slice(5), 7)] },
    'resumable: began with 8, and 7 comes next after 6',
  ],
  [
    'bookmarkable: an event from before a bookmark',
    { watches: [watch([bookmark(6), ...SINCE_THREE.slice(1, 2)], 4)] },
    'bookmarkable: 5 was told after a bookmark of 6',
  ],
  [
    'filterable: one that does not match',
    { watches: [watch([told('ADDED', B3), ...RED], 2, 'red')] },
    'filterable: ADDED ns/b@3 is not in the scope',
  ],
  [
    'filterable: one that comes to match is told as changed',
    { watches: [watch([RED[0]!, told('MODIFIED', B5)], 3, 'red')] },
    'filterable: ns/b@5 was told as MODIFIED and is ADDED',
  ],
  [
    'filterable: one that matches no more is not told',
    { watches: [watch([BLUE[0]!, bookmark(6)], 2, 'blue')] },
    'reliable: DELETED ns/b@5 was not told',
  ],
  [
    'initial state: an object is missing',
    { watches: [watchAll([told('ADDED', A4), bookmark(6, true)])] },
    'initial state at 6: ns/b@5 = v5 is missing',
  ],
  [
    'initial state: an old one',
    { watches: [watchAll([told('ADDED', A2), told('ADDED', B3), bookmark(3, true)])] },
    'initial state: at 3, and 5 was known before',
  ],
  [
    'initial state: a change within it',
    { watches: [watchAll([told('ADDED', A4), told('MODIFIED', B5), bookmark(6, true)])] },
    'initial state: MODIFIED at 5 within it',
  ],
  [
    'state before: ADDED for what was there',
    { watches: [watch([told('ADDED', A4)])] },
    'state before: ns/a@4 was told as ADDED and is MODIFIED',
  ],
  [
    'state before: DELETED without the last state',
    { watches: [watch([told('DELETED', A4, 8)], 7)] },
    'state before: DELETED ns/a@8 carried v4 and not v7',
  ],
  [
    'content of an event',
    { watches: [watch([told('MODIFIED', { ...A4, value: 'x' })])] },
    'content of an event: MODIFIED ns/a@4 carried x and not v4',
  ],
  [
    'a list that the watch does not lead to',
    { follows: [{ ...FOLLOW, watch: watch(SINCE_THREE.filter((one) => one !== SINCE_THREE[5])) }] },
    'list and watch: from 3 to 9: ns/a@7 = v7 is missing',
  ],
  [
    'leader: a lease taken too early',
    { leases: [LEASES[0]!, LEASES[1]!, lease(9, 'two_1', 7_000, 1)] },
    'leader: at 9 two_1 took over before the lease of one_1 ended',
  ],
  [
    'leader: a change of hands that is not counted',
    { leases: [LEASES[0]!, lease(9, 'two_1', 8_100, 0)] },
    'leader: at 9 the lease is at term 0 and not 1',
  ],
  [
    'leader: one that writes on',
    log('one.1/1', 'two.1/1', 'one.1/2'),
    'leader: one.1 wrote at 4, after two.1 had taken over',
  ],
  ['an answer that nobody should get', { surprises: ['answer: GET /x: 422'] }, 'answer: GET /x: 422'],
]

it.each(PLANTED)('a planted bug is found: %s', (_, story, message) => {
  expect(violationsOf(story).some((violation) => violation.includes(message))).toBe(true)
})

it('a worker that takes over from another of its server, and a leader that leads again, are as they should be', () => {
  expect(
    violationsOf({
      leases: [lease(1, 'one_1', 0, 0), lease(2, 'one_2', 100, 1), lease(3, '', 200, 1), lease(4, 'two_1', 300, 2)],
    }),
  ).toEqual([])
  expect(violationsOf(log('one.1/1', 'two.1/1', 'one.2/1', 'one.2/2'))).toEqual([])
})
