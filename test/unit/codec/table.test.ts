import { describe, expect, it } from 'vitest'
import type { Value, ValueMap } from '../../../src/api/value.ts'
import { DEFAULT_TABLE, parseIncludeObject, tableDocument } from '../../../src/codec/table.ts'
import { canonicalOf, columnsOf } from '../../corpora/kind-of.ts'
import type { TableForm } from '../../../src/codec/table.ts'
import { customTable } from '../../../src/codec/tables/custom.ts'
import { humanDuration } from '../../../src/codec/tables/elapsed.ts'
import { compileJsonPath } from '../../../src/codec/tables/json-path.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')

function itemOf(object: ValueMap) {
  return { bytes: Buffer.from(JSON.stringify(object)), object: () => object }
}

const SECRET: ValueMap = {
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: { name: 'a', resourceVersion: '7', labels: { x: 'y' } },
  type: 'example.com/<t>',
  data: { k: 'dg==' },
}

const form = (more: Partial<TableForm> = {}): TableForm => ({
  shape: columnsOf({ group: '', kind: 'Secret' }),
  apiVersion: 'meta.k8s.io/v1',
  include: 'Metadata',
  now: NOW,
  ...more,
})

const parsed = (bytes: Buffer): ValueMap => JSON.parse(bytes.toString()) as ValueMap
const rowsOf = (bytes: Buffer) => parsed(bytes)['rows'] as readonly ValueMap[]

describe('ages (R-355)', () => {
  const [s, m, h, d] = [1000, 60_000, 3_600_000, 86_400_000]
  it.each<[number, string]>([
    [-2 * s, '<invalid>'],
    [-1 * s, '0s'],
    [-1, '0s'],
    [0, '0s'],
    [119 * s + 999, '119s'],
    [120 * s, '2m'],
    [125 * s, '2m5s'],
    [599 * s, '9m59s'],
    [600 * s, '10m'],
    [10_799 * s, '179m'],
    [3 * h, '3h'],
    [7 * h + 59 * m, '7h59m'],
    [8 * h, '8h'],
    [47 * h, '47h'],
    [48 * h, '2d'],
    [7 * d + 23 * h, '7d23h'],
    [8 * d, '8d'],
    [729 * d, '729d'],
    [730 * d, '2y'],
    [731 * d, '2y1d'],
    [8 * 365 * d, '8y'],
  ])('%d ms is %s', (span, text) => {
    expect(humanDuration(span)).toBe(text)
  })
})

describe('a table (R-350 to R-352, R-360)', () => {
  it('has the form and the order of the reference', () => {
    const text = tableDocument(form(), itemOf(SECRET)).toString()
    expect(text).toContain('{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},')
    expect(text).toContain(
      '"columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"Name must',
    )
    expect(text).toContain(',"priority":0},{"name":"Type","type":"string","format":"","description":')
    expect(text).toContain(
      '"rows":[{"cells":["a","example.com/\\u003ct\\u003e",1,"\\u003cunknown\\u003e"],"object":{"kind":',
    )
  })

  it.each<[TableForm['include'], unknown]>([
    ['None', null],
    ['Metadata', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: SECRET['metadata'] }],
    ['Object', SECRET],
  ])('can carry the object: %s', (include, object) => {
    expect(rowsOf(tableDocument(form({ include }), itemOf(SECRET)))[0]?.['object']).toEqual(object)
  })

  it('says the version of the request, in its rows too', () => {
    const table = parsed(tableDocument(form({ apiVersion: 'meta.svc.io/v1beta1' }), itemOf(SECRET)))
    expect(table).toMatchObject({
      apiVersion: 'meta.svc.io/v1beta1',
      rows: [{ object: { apiVersion: 'meta.svc.io/v1beta1' } }],
    })
  })

  it('has no column definitions where they are known', () => {
    expect(parsed(tableDocument(form(), itemOf(SECRET), 'noColumns'))).toMatchObject({ columnDefinitions: null })
  })

  it('has conditions in the rows of pods that ended', () => {
    const kind = { group: '', kind: 'Pod' }
    const pod = canonicalOf(kind, { metadata: { name: 'p' }, status: { phase: 'Failed' } })
    const rows = rowsOf(tableDocument(form({ shape: columnsOf(kind) }), itemOf(pod)))
    expect(Object.keys(rows[0] ?? {})).toEqual(['cells', 'conditions', 'object'])
  })

  it('keeps big integers', () => {
    const shape = columnsOf({ group: 'apps', kind: 'ControllerRevision' })
    const text = tableDocument(form({ shape, include: 'None' }), {
      bytes: Buffer.from('{}'),
      object: () => canonicalOf({ group: 'apps', kind: 'ControllerRevision' }, { revision: 9007199254740993n }),
    })
    expect(text.toString()).toContain(',9007199254740993,')
  })

  it.each([
    [null, 'Metadata'],
    [undefined, 'Metadata'],
    ['', 'Metadata'],
    ['Metadata', 'Metadata'],
    ['None', 'None'],
    ['Object', 'Object'],
  ])('includeObject %j means %s', (text, include) => {
    expect(parseIncludeObject(text)).toBe(include)
  })

  it('any other includeObject is a 400', () => {
    expect(() => parseIncludeObject('x')).toThrow(
      "Unable to convert to Table as requested: includeObject: Invalid value: \"x\": must be 'Metadata', 'Object', 'None', or empty",
    )
  })
})

describe('the table of a custom resource (R-354, P-360, D11)', () => {
  const COLUMNS = [
    { name: 'Size', type: 'integer', format: 'int32', jsonPath: '.spec.size', description: 'how many' },
    { name: 'Ratio', type: 'number', jsonPath: '.spec.ratio' },
    { name: 'Text', type: 'string', jsonPath: '.spec.text', priority: 1 },
    { name: 'On', type: 'boolean', jsonPath: '.spec.on' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'First', type: 'string', jsonPath: '.spec.list[0]' },
    { name: 'Label', type: 'string', jsonPath: '.metadata.labels.example\\.com/a' },
    { name: 'When', type: 'date', jsonPath: '.spec.when' },
  ]
  const shape = customTable(COLUMNS) ?? DEFAULT_TABLE

  it.each<[Value | undefined, Value]>([
    [5, '5'],
    [1.5, '1.5'],
    [1e-7, '1e-07'],
    [100000000.5, '1.000000005e+08'],
    [null, '<no value>'],
    [undefined, null],
    [{ a: null }, '{"a":null}'],
  ])('shows %j as the text %j', (value, expected) => {
    const texts = customTable([{ name: 'V', type: 'string', jsonPath: '.spec.v' }]) ?? DEFAULT_TABLE
    expect(texts.cells({ spec: value === undefined ? {} : { v: value } }, NOW).slice(1)).toEqual([expected])
  })

  it('has the columns of the definition behind the name', () => {
    expect(shape.columns.slice(1, 4)).toEqual([
      { name: 'Size', type: 'integer', format: 'int32', description: 'how many', priority: 0 },
      {
        name: 'Ratio',
        type: 'number',
        format: '',
        description: 'Custom resource definition column (in JSONPath format): .spec.ratio',
        priority: 0,
      },
      {
        name: 'Text',
        type: 'string',
        format: '',
        description: 'Custom resource definition column (in JSONPath format): .spec.text',
        priority: 1,
      },
    ])
  })

  it.each<[string, ValueMap, readonly Value[]]>([
    [
      'of the right types',
      {
        metadata: { labels: { 'example.com/a': 'b' } },
        spec: { size: 3, ratio: 1.5, text: 'hello', on: true, list: ['p', 'q'], when: '2026-03-01T11:57:55Z' },
        status: {
          conditions: [
            { type: 'Other', status: 'False' },
            { type: 'Ready', status: 'True' },
          ],
        },
      },
      [3, 1.5, 'hello', true, 'True', 'p', 'b', '2m5s'],
    ],
    ['that are missing', { spec: {} }, [null, null, null, null, null, null, null, null]],
    [
      'of other types',
      {
        spec: { size: 'text', ratio: true, text: { a: 1, b: ['c'] }, on: 'yes', list: [{ x: 1 }], when: 'not a date' },
      },
      [null, null, '{"a":1,"b":["c"]}', null, null, '{"x":1}', null, '<invalid>'],
    ],
    [
      'null, fractions and empty dates',
      { spec: { size: 3.9, ratio: null, text: null, on: null, list: [], when: '' } },
      [3, null, '<no value>', null, null, null, null, '<unknown>'],
    ],
    ['numbers as text', { spec: { text: 7, list: [true] } }, [null, null, '7', null, null, 'true', null, null]],
  ])('shows values %s', (_name, object, cells) => {
    expect(shape.cells(object, NOW).slice(1)).toEqual(cells)
  })

  it('without columns is the default one', () => {
    expect(customTable([])).toBeUndefined()
  })
})

describe('JSON paths', () => {
  const root: Value = {
    a: { b: [1, 2, 3, 4], 'x.y': 'dotted', null: null },
    list: [
      { type: 'p', n: 1, on: true },
      { type: 'q', n: 2 },
    ],
  }
  const first = (text: string, value: Value = root): Value | undefined =>
    compileJsonPath(text)?.first(value, { visits: 10_000 })

  it.each<[string, Value | undefined]>([
    ['.a.b[0]', 1],
    ['{.a.b[0]}', 1],
    ['$.a.b[0]', 1],
    ['a.b[0]', 1],
    ['.a.b[-1]', 4],
    ['.a.b[1:3]', 2],
    ['.a.b[::2]', 1],
    ['.a.b[*]', 1],
    ['.a.b[0,2]', 1],
    ['.a["x.y"]', 'dotted'],
    [".a['x.y']", 'dotted'],
    ['.a.x\\.y', 'dotted'],
    ['.a.null', null],
    ['.a.constructor', undefined],
    ['.list[?(@.type=="q")].n', 2],
    [".list[?(@.type=='q')].n", 2],
    ['.list[?(@.n>1)].type', 'q'],
    ['.list[?(@.n<=1)].type', 'p'],
    ['.list[?(@.type!="q")].n', 1],
    ['.list[?(@.on)].n', 1],
    ['.list[?(@.on==true)].n', 1],
    ['.list.*.n', 1],
    ['..n', 1],
  ])('%s leads to %j first', (text, found) => {
    expect(first(text)).toEqual(found)
  })

  it.each(['.a.b[', '.a.b[x]', '.a..', '.list[?(x)]'])('%s is not a path', (text) => {
    expect(compileJsonPath(text)).toBeUndefined()
  })

  it('compares neither lists nor maps', () => {
    expect(first('.a[?(@.x==@.x)]', { a: [{ x: [1] }] })).toBeUndefined()
  })

  it.each([
    ['descends many times', `.spec${'..a'.repeat(15)}..b`],
    ['descends in a filter', '.spec..[?(@..b)]..[?(@..b)]'],
  ])('visits a nested object few times where the path %s', (_name, text) => {
    let spec: Value = 'end'
    for (let depth = 0; depth < 30; depth++) spec = { a: spec, list: [spec] }
    const budget = { visits: 100_000 }
    expect(compileJsonPath(text)?.first({ spec }, budget)).toBeUndefined()
    expect(budget.visits).toBeGreaterThan(90_000)
  })

  it('stops at the first value', () => {
    const budget = { visits: 1000 }
    const items = Array.from({ length: 100 }, (_, i): Value => ({ n: i + 1 }))
    expect(compileJsonPath('..n')?.first(items, budget)).toBe(1)
    expect(budget.visits).toBeGreaterThan(800)
  })

  it('finds nothing once its budget is spent', () => {
    const budget = { visits: 1000 }
    const items = Array.from({ length: 1000 }, (_, i): Value => ({ i }))
    expect(compileJsonPath('..b')?.first(items, budget)).toBeUndefined()
    expect(compileJsonPath('[?(@.i==999)]')?.first(items, { visits: 100 })).toBeUndefined()
    expect(budget.visits).toBeLessThanOrEqual(0)
  })
})
