import { describe, expect, it } from 'vitest'
import type { ValueMap } from '../../../src/api/value.ts'
import { customTable, DEFAULT_TABLE, tableRow } from '../../../src/codec/table.ts'
import { canonicalOf, columnsOf } from '../../corpora/kind-of.ts'
import type { TableItem } from '../../../src/codec/table.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const POD = { group: '', kind: 'Pod' }
const JOB = { group: 'batch', kind: 'Job' }
const METADATA = { name: 'a', creationTimestamp: '2026-03-01T11:58:30Z' }

class Item implements TableItem {
  readonly bytes: Buffer
  parsed = 0
  row: TableItem['row'] = undefined
  readonly #object: ValueMap

  constructor(object: ValueMap) {
    this.#object = object
    this.bytes = Buffer.from(JSON.stringify(object))
  }

  object(): ValueMap {
    this.parsed++
    return this.#object
  }
}

const restarted = {
  name: 'c',
  restartCount: 3,
  state: { running: {} },
  lastState: { terminated: { finishedAt: '2026-03-01T11:00:00Z' } },
}

const CASES: readonly (readonly [name: string, shape: typeof DEFAULT_TABLE, object: ValueMap])[] = [
  ['without an age', DEFAULT_TABLE, { metadata: METADATA }],
  ['a pod', columnsOf(POD), canonicalOf(POD, { metadata: METADATA, status: { phase: 'Failed' } })],
  [
    'a pod that was restarted',
    columnsOf(POD),
    canonicalOf(POD, { metadata: METADATA, status: { containerStatuses: [restarted] } }),
  ],
  [
    'an event',
    columnsOf({ group: '', kind: 'Event' }),
    { metadata: METADATA, firstTimestamp: '2026-03-01T10:00:00Z', message: '<&>' },
  ],
  [
    'a job that runs',
    columnsOf(JOB),
    canonicalOf(JOB, { metadata: METADATA, status: { startTime: '2026-03-01T11:59:00Z' } }),
  ],
  [
    'the mark of an age in the object',
    columnsOf({ group: '', kind: 'Event' }),
    { metadata: METADATA, message: 'odd \u0001 text' },
  ],
]

describe('a row that is remembered', () => {
  it.each(CASES)('is the same as a new one, at any time: %s', (_name, shape, object) => {
    const item = new Item(object)
    for (const now of [NOW, NOW + 1_000, NOW + 7_200_000]) {
      const form = { shape, apiVersion: 'meta.k8s.io/v1', include: 'Metadata', now } as const
      const { bytes } = item
      expect(tableRow(form, item).toString()).toBe(tableRow(form, { bytes, object: () => object }).toString())
    }
  })

  it('is not made from the object again', () => {
    const item = new Item(canonicalOf(POD, { metadata: METADATA }))
    const form = { shape: DEFAULT_TABLE, apiVersion: 'meta.k8s.io/v1', include: 'None', now: NOW } as const
    const first = tableRow(form, item)
    expect(tableRow(form, item)).toEqual(first)
    expect(item.parsed).toBe(1)
    tableRow({ ...form, shape: columnsOf(POD) }, item)
    expect(item.parsed).toBe(2)
  })

  it('is kept where a definition has said what the columns are', () => {
    const item = new Item({ metadata: METADATA, spec: { size: 3 } })
    const shape = customTable([{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }])!
    const form = { shape, apiVersion: 'meta.k8s.io/v1', include: 'None', now: NOW } as const
    expect(tableRow(form, item)).toEqual(tableRow(form, item))
    expect(item.parsed).toBe(1)
  })
})
