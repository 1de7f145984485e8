import { describe, expect, it } from 'vitest'
import { encodeContinue } from '../../../src/api/continue-token.ts'
import { asksForWatch, parseGetQuery, parseListQuery, parseWatchQuery } from '../../../src/api/list-query.ts'
import type { ListAt, ReadAt, WatchStart } from '../../../src/api/read.ts'
import { selectableFields } from '../../../src/api/selector-fields.ts'
import { ApiError } from '../../../src/api/status.ts'

const selectable = selectableFields({ group: '', version: 'v1', kind: 'Secret' })
const rules = { selectable, hasShards: true }
const POSITION = { revision: 7, start: 'a\0' }
const TOKEN = encodeContinue(POSITION)

const listOf = (query: string) => parseListQuery(new URLSearchParams(query), rules)
const watchOf = (query: string, name?: string) => parseWatchQuery(new URLSearchParams(query), rules, name)

function refusal(
  query: string,
  parse: (query: string) => unknown = query.startsWith('watch=1') ? watchOf : listOf,
): ApiError {
  try {
    parse(query)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('was not refused')
}

const LATEST: ReadAt = { kind: 'latest' }
const ANY: ReadAt = { kind: 'any' }
const FROM_5: ReadAt = { kind: 'notOlderThan', revision: 5 }
const AT_5: ReadAt = { kind: 'exact', revision: 5 }
const ON: ListAt = { kind: 'continuation', position: POSITION }

const UNLESS = 'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided'
const ZERO = 'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"'
const CONTINUED = 'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided'
const FOR_LIST = 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'
const WITH_VERSION = 'specifying resource version is not allowed when using continue'
const REQUIRES =
  'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'
const UNLESS_SENT =
  'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'

describe('the table of get (R-070 to R-072, R-076, R-077, R-107)', () => {
  it.each<[string, ReadAt]>([
    ['', LATEST],
    ['resourceVersion=', LATEST],
    ['resourceVersion=0', ANY],
    ['resourceVersion=5', FROM_5],
    ['resourceVersion=005', FROM_5],
    ['limit=x&continue=x&labelSelector=%3D&resourceVersionMatch=Exact&watch=1', LATEST],
  ])('%j', (query, at) => {
    expect(parseGetQuery(new URLSearchParams(query))).toEqual(at)
  })

  it('a version that is no number is a 400', () => {
    expect(() => parseGetQuery(new URLSearchParams('resourceVersion=abc'))).toThrow(
      'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    )
  })
})

describe('the table of list (R-017, R-057, R-090 to R-101, R-104 to R-108, R-139, D3, D27, D28)', () => {
  const versions = ['', 'resourceVersion=0', 'resourceVersion=5'] as const
  const invalid = (...faults: readonly string[]): string =>
    `ListOptions.meta.k8s.io "" is invalid: ${faults.length === 1 ? faults.join() : `[${faults.join(', ')}]`}`

  it.each<[string, readonly [ListAt | string, ListAt | string, ListAt | string]]>([
    ['', [LATEST, ANY, FROM_5]],
    ['limit=2', [LATEST, ANY, AT_5]],
    [`limit=2&continue=${TOKEN}`, [ON, ON, WITH_VERSION]],
    [`continue=${TOKEN}`, [ON, ON, WITH_VERSION]],
    ['resourceVersionMatch=Exact', [invalid(UNLESS), invalid(ZERO), AT_5]],
    ['resourceVersionMatch=Exact&limit=2', [invalid(UNLESS), invalid(ZERO), AT_5]],
    ['resourceVersionMatch=NotOlderThan', [invalid(UNLESS), ANY, FROM_5]],
    ['resourceVersionMatch=NotOlderThan&limit=2', [invalid(UNLESS), ANY, FROM_5]],
    [
      `resourceVersionMatch=Exact&continue=${TOKEN}`,
      [invalid(UNLESS, CONTINUED), invalid(CONTINUED, ZERO), invalid(CONTINUED)],
    ],
    [
      `resourceVersionMatch=NotOlderThan&limit=2&continue=${TOKEN}`,
      [invalid(UNLESS, CONTINUED), invalid(CONTINUED), invalid(CONTINUED)],
    ],
    ['sendInitialEvents=true', [invalid(FOR_LIST), invalid(FOR_LIST), invalid(FOR_LIST)]],
    [
      'sendInitialEvents=false&resourceVersionMatch=NotOlderThan',
      [invalid(UNLESS, FOR_LIST), invalid(FOR_LIST), invalid(FOR_LIST)],
    ],
  ])('%s, with no version, 0 and 5', (rest, cells) => {
    for (const [index, cell] of cells.entries()) {
      const query = [rest, versions[index]].filter((part) => part !== '').join('&')
      if (typeof cell === 'string')
        expect(refusal(query)).toMatchObject({ message: cell, code: 400, reason: 'BadRequest' })
      else expect(listOf(query).at).toEqual(cell)
    }
  })

  it.each<[string, number | undefined]>([
    ['', undefined],
    ['limit=0', undefined],
    ['limit=-5', undefined],
    ['limit=3', 3],
    ['limit=%2B2', 2],
    ['limit=1&limit=abc', 1],
    ['limit=9223372036854775807', Number.MAX_SAFE_INTEGER],
    ['limit=-9223372036854775808', undefined],
    ['limit=2&resourceVersion=0', 2],
  ])('the limit of %j', (query, limit) => {
    expect(listOf(query).limit).toBe(limit)
  })

  it('a match without a value is no match', () => {
    expect(listOf('resourceVersionMatch=').at).toEqual(LATEST)
  })

  it('an invalid combination says what and where', () => {
    expect(refusal('resourceVersion=1&resourceVersionMatch=foo').details).toEqual({
      group: 'meta.k8s.io',
      kind: 'ListOptions',
      causes: [
        {
          reason: 'FieldValueNotSupported',
          message: 'Unsupported value: "foo": supported values: "Exact", "NotOlderThan", ""',
          field: 'resourceVersionMatch',
        },
      ],
    })
  })

  it.each<[string, string]>([
    ['limit=abc', 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ['limit=', 'strconv.ParseInt: parsing "": invalid syntax'],
    ['limit=0x2', 'strconv.ParseInt: parsing "0x2": invalid syntax'],
    ['limit=9223372036854775808', 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
    ['timeoutSeconds=soon&limit=x', 'strconv.ParseInt: parsing "soon": invalid syntax'],
    ...['abc', '-1', '1.0'].map((version): [string, string] => [
      `resourceVersion=${version}`,
      `invalid resource version: resourceVersion: Invalid value: "${version}": strconv.ParseUint: parsing "${version}": invalid syntax`,
    ]),
    [
      'resourceVersion=18446744073709551616',
      'invalid resource version: resourceVersion: Invalid value: "18446744073709551616": strconv.ParseUint: parsing "18446744073709551616": value out of range',
    ],
    ['limit=x&labelSelector=%3D', 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['labelSelector=%3D&fieldSelector=type', "found '=', expected: !, identifier, or 'end of string'"],
    ['fieldSelector=type&resourceVersionMatch=Exact', "invalid selector: 'type'; can't understand 'type'"],
    ['fieldSelector=x%3D1&resourceVersionMatch=Exact', invalid(UNLESS)],
    ['fieldSelector=x%3D1&resourceVersion=abc', 'field label not supported: x'],
    [
      'continue=%21&resourceVersion=5',
      'invalid continue token: continue key is not valid: illegal base64 data at input byte 0',
    ],
  ])('%j is refused: %s', (query, message) => {
    expect(refusal(query)).toMatchObject({ message, code: 400 })
  })

  it('takes versions of 64 bits', () => {
    expect(listOf('resourceVersion=18446744073709551615').at).toMatchObject({ kind: 'notOlderThan' })
  })
})

it('a deletion of a collection is no watch, whatever it says', () => {
  expect(listOf('watch=1&limit=3').limit).toBe(3)
})

describe('the table of watch (R-057, R-138, R-143 to R-145, R-149, R-151, R-152, R-160, D3)', () => {
  const invalid = (...faults: readonly string[]): string =>
    `ListOptions.meta.k8s.io "" is invalid: ${faults.length === 1 ? faults.join() : `[${faults.join(', ')}]`}`
  const unsupported = (match: string) =>
    `resourceVersionMatch: Unsupported value: "${match}": supported values: "NotOlderThan"`
  const state = (at: ReadAt) => ({ kind: 'state', at }) as WatchStart
  const AFTER_5: WatchStart = { kind: 'after', revision: 5 }
  const MATCHED = 'resourceVersionMatch=NotOlderThan'

  it.each<[string, readonly [WatchStart | string, WatchStart | string, WatchStart | string]]>([
    ['', [state(LATEST), state(ANY), AFTER_5]],
    [`sendInitialEvents=true&${MATCHED}`, [state(LATEST), state(ANY), state(FROM_5)]],
    [
      `sendInitialEvents=false&${MATCHED}`,
      [{ kind: 'changes', at: { kind: 'latest' } }, { kind: 'changes', at: { kind: 'any' } }, AFTER_5],
    ],
    ['limit=1', [state(LATEST), state(ANY), AFTER_5]],
    ['sendInitialEvents=true', [invalid(REQUIRES), invalid(REQUIRES), invalid(REQUIRES)]],
    ['sendInitialEvents=false', [invalid(REQUIRES), invalid(REQUIRES), invalid(REQUIRES)]],
    [
      'sendInitialEvents=true&resourceVersionMatch=Exact',
      [
        invalid(REQUIRES, unsupported('Exact')),
        invalid(REQUIRES, unsupported('Exact')),
        invalid(REQUIRES, unsupported('Exact')),
      ],
    ],
    [MATCHED, [invalid(UNLESS_SENT), invalid(UNLESS_SENT), invalid(UNLESS_SENT)]],
    [
      'resourceVersionMatch=Sometimes',
      [
        invalid(UNLESS_SENT, unsupported('Sometimes')),
        invalid(UNLESS_SENT, unsupported('Sometimes')),
        invalid(UNLESS_SENT, unsupported('Sometimes')),
      ],
    ],
    ['continue=x', [invalid(CONTINUED), invalid(CONTINUED), AFTER_5]],
    [`sendInitialEvents=true&${MATCHED}&continue=x`, [invalid(CONTINUED), invalid(CONTINUED), invalid(CONTINUED)]],
  ])('%s, with no version, 0 and 5', (rest, cells) => {
    for (const [index, cell] of cells.entries()) {
      const version = ['', 'resourceVersion=0', 'resourceVersion=5'][index]
      const query = ['watch=1', rest, version].filter((part) => part !== '').join('&')
      if (typeof cell === 'string') expect(refusal(query)).toMatchObject({ message: cell, code: 400 })
      else expect(watchOf(query).start).toEqual(cell)
    }
  })

  it.each<[string, boolean]>([
    ['watch', true],
    ['watch=', true],
    ['watch=1', true],
    ['watch=no', true],
    ['watch=0', false],
    ['watch=False', false],
    ['', false],
  ])('%j asks for a watch: %s', (query, asked) => {
    expect(asksForWatch(new URLSearchParams(query))).toBe(asked)
  })

  it.each<[string, boolean, number | undefined]>([
    ['watch=1', false, undefined],
    ['watch=1&allowWatchBookmarks=true&timeoutSeconds=30', true, 30],
    ['watch=1&allowWatchBookmarks=false&timeoutSeconds=0', false, undefined],
    ['watch=1&allowWatchBookmarks&timeoutSeconds=-1', true, -1],
  ])('%j: bookmarks %s, %s s', (query, bookmarks, timeoutSeconds) => {
    expect(watchOf(query)).toMatchObject({ bookmarks, timeoutSeconds })
  })

  it('a version that is no number is a 400', () => {
    expect(refusal('watch=1&resourceVersion=abc').message).toBe(
      'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    )
  })

  it('under the old path options are judged as those of a list', () => {
    expect(watchOf('').start).toEqual(state(LATEST))
    expect(watchOf('resourceVersion=5').start).toEqual(AFTER_5)
    expect(refusal('sendInitialEvents=true&resourceVersionMatch=NotOlderThan', watchOf).message).toBe(
      invalid(UNLESS, FOR_LIST),
    )
  })

  it('a name in the path is a selector, and may be said twice but not differently', () => {
    const named = { field: 'metadata.name', operator: '=', value: 'x' }
    expect(watchOf('', 'x').fields.terms).toEqual([named])
    expect(watchOf('fieldSelector=metadata.name%3Dx%2Ctype%3Dy', 'x').fields.terms).toContainEqual(named)
    for (const other of ['metadata.name%3Dy', 'type%3Dx', 'metadata.name!%3Dx']) {
      expect(refusal(`fieldSelector=${other}`, (query) => watchOf(query, 'x')).message).toBe(
        "fieldSelector metadata.name doesn't match requested name",
      )
    }
  })
})
