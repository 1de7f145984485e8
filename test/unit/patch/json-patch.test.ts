import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/api/status.ts'
import type { Value } from '../../../src/api/value.ts'
import { readPatch } from '../../../src/codec/request-body.ts'
import { applyJsonPatch, oddPatchMembers } from '../../../src/patch/json-patch.ts'

interface Case {
  readonly comment?: string
  readonly doc: Value
  readonly patch: Value
  readonly expected?: Value
  readonly error?: string
  readonly disabled?: boolean
}

/** Where the reference departs from the RFC, or where JavaScript cannot see what the suite looks at. */
const DEPARTURES: ReadonlySet<string> = new Set([
  'replace whole document',
  'Whole document',
  'replacing the root of the document is possible with add',
  'test should pass despite different arrangement',
])

function suite(file: string): Case[] {
  const require = createRequire(import.meta.url)
  return JSON.parse(readFileSync(require.resolve(`json-patch-test-suite/${file}`), 'utf8')) as Case[]
}

function reasonOf(run: () => unknown): string {
  try {
    run()
    return ''
  } catch (error) {
    return error instanceof ApiError ? error.reason : `broke: ${String(error)}`
  }
}

describe('the suite of RFC 6902', () => {
  const rows = [...suite('spec_tests.json'), ...suite('tests.json')].filter(
    ({ disabled, comment = '', patch }) => disabled !== true && !DEPARTURES.has(comment) && !addsOrRemovesRoot(patch),
  )
  const applied = rows.filter(({ expected, error }) => expected !== undefined && error === undefined)

  it.each(applied.map((row) => [row.comment ?? JSON.stringify(row.patch), row] as const))('%s', (_name, row) => {
    expect(applyJsonPatch(row.doc, row.patch)).toEqual(row.expected)
  })

  it('has enough rows to mean something', () => expect(applied.length).toBeGreaterThan(40))
})

/** Adding the root fails in the reference (W-178). */
function addsOrRemovesRoot(patch: Value): boolean {
  return JSON.stringify(patch).includes('"path":""')
}

describe('what the reference does differently', () => {
  const DOCUMENT: Value = { metadata: { labels: { a: '1' }, finalizers: ['x', 'y'] }, nothing: null }

  it.each<[string, Value, Value]>([
    [
      'replace adds a member that is missing (W-175)',
      { op: 'replace', path: '/metadata/labels/b', value: '2' },
      { a: '1', b: '2' },
    ],
    [
      'a negative index counts from the end (W-180)',
      { op: 'add', path: '/metadata/labels/c', value: '3' },
      { a: '1', c: '3' },
    ],
    [
      'what comes before the first slash does not matter',
      { op: 'add', path: 'spec/metadata/labels/d', value: '4' },
      { a: '1', d: '4' },
    ],
    [
      'a copy of a member that is missing is null',
      { op: 'copy', from: '/metadata/none', path: '/metadata/labels/e' },
      { a: '1', e: null },
    ],
  ])('%s', (_name, operation, labels) => {
    expect(applyJsonPatch(DOCUMENT, [operation])).toMatchObject({ metadata: { labels } })
  })

  it('takes the last item for index -1', () => {
    const removed = applyJsonPatch(DOCUMENT, [{ op: 'remove', path: '/metadata/finalizers/-1' }])
    expect(removed).toMatchObject({ metadata: { finalizers: ['x'] } })
  })

  it.each<[string, Value, string]>([
    ['replace below a missing parent (W-176)', { op: 'replace', path: '/spec/nope/x', value: 1 }, 'Invalid'],
    ['add of the root (W-178)', { op: 'add', path: '', value: {} }, 'Invalid'],
    ['remove of what is missing (W-181)', { op: 'remove', path: '/metadata/labels/none' }, 'Invalid'],
    ['a path below null (W-182)', { op: 'add', path: '/nothing/b', value: 1 }, 'Invalid'],
    ['a test that fails (W-174)', { op: 'test', path: '/metadata/labels/a', value: '2' }, 'Invalid'],
    ['a test below a missing parent (W-183)', { op: 'test', path: '/x/y', value: null }, 'Invalid'],
    ['a move from nowhere (W-186)', { op: 'move', from: '/none', path: '/x' }, 'Invalid'],
    ['a move of the root', { op: 'move', from: '', path: '/x' }, 'Invalid'],
    ['a move to the root', { op: 'move', from: '/metadata', path: '' }, 'Invalid'],
    ['an unknown word (W-189)', { op: 'foo', path: '/x' }, 'Invalid'],
    ['a replacement of the root that is no document', { op: 'replace', path: '', value: 'x' }, 'Invalid'],
    ['a replacement of nothing that is named', { op: 'replace', value: {} }, 'Invalid'],
    ['a test of nothing that is named', { op: 'test', value: DOCUMENT }, 'Invalid'],
    ['a test of an item that is not there for null', { op: 'test', path: '/metadata/finalizers/9' }, 'Invalid'],
    ['a copy of the root', { op: 'copy', from: '', path: '/x' }, 'Invalid'],
    ['a copy from nowhere', { op: 'copy', path: '/x' }, 'Invalid'],
    ['a copy from what is no pointer', { op: 'copy', from: 'x', path: '/x' }, 'Invalid'],
    ['a copy of an item that is not there', { op: 'copy', from: '/metadata/finalizers/9', path: '/x' }, 'Invalid'],
    ['an index beyond the end', { op: 'add', path: '/metadata/finalizers/9', value: 'z' }, 'Invalid'],
    ['an index that is no number', { op: 'add', path: '/metadata/finalizers/a', value: 'z' }, 'Invalid'],
  ])('refuses %s', (_name, operation, reason) => {
    expect(reasonOf(() => applyJsonPatch(DOCUMENT, [operation]))).toBe(reason)
  })

  it('passes a test of something missing for null (W-183)', () => {
    expect(applyJsonPatch(DOCUMENT, [{ op: 'test', path: '/metadata/annotations', value: null }])).toBe(DOCUMENT)
  })

  it('never changes the document it was given', () => {
    const before = structuredClone(DOCUMENT)
    applyJsonPatch(DOCUMENT, [
      { op: 'add', path: '/metadata/labels/z', value: '1' },
      { op: 'remove', path: '/nothing' },
    ])
    expect(DOCUMENT).toEqual(before)
  })

  it('treats __proto__ as a key like any other', () => {
    const patched = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }])
    expect(Object.keys(patched as object)).toEqual(['__proto__'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('limits', () => {
  it('takes ten thousand operations and not one more (W-173)', () => {
    const operation = { op: 'test', path: '/a', value: 1 }
    const document = { a: 1 }
    expect(
      applyJsonPatch(
        document,
        Array.from({ length: 10_000 }, () => operation),
      ),
    ).toBe(document)
    expect(
      reasonOf(() =>
        applyJsonPatch(
          document,
          Array.from({ length: 10_001 }, () => operation),
        ),
      ),
    ).toBe('RequestEntityTooLarge')
  })

  it('bounds what copies add up to (W-185)', () => {
    const copies = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/a', path: `/b${i}` }))
    expect(reasonOf(() => applyJsonPatch({ a: 'x'.repeat(100_000) }, copies))).toBe('Invalid')
  })

  it.each<[string, Value, string]>([
    [
      'an object',
      {},
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ],
    [
      'a number in the list',
      [1],
      'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp',
    ],
    [
      'an operation whose name is a number',
      [{ op: 5 }],
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    ],
  ])('says that a patch is not %s (W-172)', (_name, patch, message) => {
    expect(() => applyJsonPatch({}, patch)).toThrow(message)
  })
})

it.each<[string, Value, string]>([
  ['an object', {}, 'json: cannot unmarshal object into Go value of type jsonpatch.Patch'],
  ['a number in the list', [1], 'json: cannot unmarshal number into Go value of type jsonpatch.Operation'],
  ['an operation whose name is a number', [{ op: 5 }], 'the server rejected our request'],
])('says otherwise that a patch is not %s where it is read loosely', (_name, patch, message) => {
  expect(() => applyJsonPatch({}, patch, { loose: true })).toThrow(message)
})

it('takes null for a patch without operations', () => {
  expect(applyJsonPatch({ a: 1 }, null)).toEqual({ a: 1 })
})

it('tells what is odd about operations in their order', () => {
  const patch = [
    { op: 'test', path: '/a', foo: 1 },
    { op: 'test', path: '/a', bar: 1 },
  ]
  expect(oddPatchMembers(patch, ['duplicate field "[0].path"', 'duplicate field "[1].value.a"'])).toEqual([
    'json patch duplicate field "[0].path"',
    'json patch unknown field "[0].foo"',
    'json patch duplicate field "[1].value.a"',
    'json patch unknown field "[1].bar"',
  ])
})

describe('testing numbers by how they are written (W-184)', () => {
  const DOCUMENT: Value = { one: 1, half: 0.5, big: 9007199254740993n, list: [{ port: 80, name: 'a' }] }

  it.each([
    ['/one', '1', true],
    ['/one', '1.0', false],
    ['/one', '1e0', false],
    ['/one', '"1"', false],
    ['/half', '0.5', true],
    ['/half', '0.50', false],
    ['/big', '9007199254740993', true],
    ['/big', '9007199254740992', false],
    ['/list', '[{"name":"a","port":80}]', true],
    ['/list', '[{"name":"a","port":80.0}]', false],
    ['/list', '[{"name":"b","name":"a","port":80}]', true],
    ['/list', '[{"port":80}]', false],
    ['/list', '80.0', false],
    ['/list/0', '80.0', false],
    ['/list/0', '[]', false],
    ['/list', '{}', false],
    ['', '{}', false],
  ])('%s against %s: %s', (path, value, passes) => {
    const { document, spelled } = readPatch(Buffer.from(`[{"op":"test","path":"${path}","value":${value}}]`))
    expect(reasonOf(() => applyJsonPatch(DOCUMENT, document, { spelled }))).toBe(passes ? '' : 'Invalid')
  })
})

describe('many operations on large maps and lists', () => {
  const map = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'v']))
  const list = Array.from({ length: 20_000 }, (_, i) => i)
  const large = { map, list, nested: { map } }

  it('leave the document as it was, and each other alone', () => {
    const patched = applyJsonPatch(large, [
      { op: 'copy', from: '/list', path: '/copy' },
      { op: 'remove', path: '/copy/0' },
      { op: 'add', path: '/list/1', value: 'new' },
      { op: 'move', from: '/list', path: '/moved' },
    ])
    expect(large.list).toHaveLength(20_000)
    expect(patched).toMatchObject({ copy: list.slice(1), moved: [0, 'new', ...list.slice(1)] })
    expect(patched).not.toHaveProperty('list')
  })

  it('do not make it deeper than a document can be', () => {
    const deeper = Array.from({ length: 2_000 }, (_, i): Value[] => [
      { op: 'add', path: `/m${i + 1}`, value: {} },
      { op: 'move', from: `/m${i}`, path: `/m${i + 1}/x` },
    ]).flat()
    const patch = [{ op: 'add', path: '/m0', value: {} }, ...deeper]
    expect(reasonOf(() => applyJsonPatch({}, patch))).toBe('Invalid')
    expect(reasonOf(() => applyJsonPatch({}, patch.slice(0, 1001)))).toBe('')
  })

  it('do not make it so deep that nothing can be done with it any more', () => {
    let deep: Value = {}
    for (let level = 0; level < 500; level++) deep = { x: deep }
    const bottom = '/x'.repeat(500)
    const patch = Array.from({ length: 100 }, (_, i): Value[] => [
      { op: 'add', path: `/m${i + 1}`, value: deep },
      { op: 'move', from: `/m${i}`, path: `/m${i + 1}${bottom}/x` },
    ]).flat()
    expect(reasonOf(() => applyJsonPatch({ m0: {} }, patch))).toBe('Invalid')
  })
})
