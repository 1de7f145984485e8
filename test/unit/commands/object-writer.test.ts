import { describe, expect, it } from 'vitest'
import { changesBetween } from '../../../src/commands/object-diff.ts'
import { writerOf } from '../../../src/commands/object-writer.ts'

interface Entry {
  readonly manager: string
  readonly second: number
  readonly fields?: object
}

function version(size: number, entries: readonly Entry[]) {
  const managedFields = entries.map(({ manager, second, fields = {} }) => ({
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time: `2026-01-01T00:00:0${second}Z`,
    fieldsV1: fields,
  }))
  const items = [{ name: 'a', size }]
  return { kind: 'Widget', apiVersion: 'v1', metadata: { name: 'w', managedFields }, items } as never
}

function writer(before: readonly Entry[] | undefined, after: readonly Entry[]): unknown {
  const [old, now] = [before === undefined ? undefined : version(1, before), version(2, after)]
  const changes = old === undefined ? [] : changesBetween(old, now).filter(({ field }) => field.includes('size'))
  return writerOf(now, old, changes)['manager']
}

const size = { 'f:items': { 'k:{"name":"a"}': { 'f:size': {} } } }

describe('whose write made a version', () => {
  it.each<[string, readonly Entry[] | undefined, readonly Entry[], unknown]>([
    ['the creator’s', undefined, [{ manager: 'a', second: 1 }], 'a'],
    [
      'a new manager’s',
      [{ manager: 'a', second: 1 }],
      [
        { manager: 'a', second: 1 },
        { manager: 'b', second: 1 },
      ],
      'b',
    ],
    [
      'that of whose time is another',
      [
        { manager: 'a', second: 1 },
        { manager: 'b', second: 2 },
      ],
      [
        { manager: 'a', second: 3 },
        { manager: 'b', second: 2 },
      ],
      'a',
    ],
    [
      'that of who owns it, in the same second',
      [
        { manager: 'a', second: 1, fields: size },
        { manager: 'b', second: 1 },
      ],
      [
        { manager: 'b', second: 1 },
        { manager: 'a', second: 1, fields: size },
      ],
      'a',
    ],
    ['nobody’s', [], [], undefined],
  ])('%s', (_, before, after, expected) => {
    expect(writer(before, after)).toBe(expected)
  })
})
