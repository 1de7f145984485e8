import { describe, expect, it } from 'vitest'
import { ageText, BY_NAME, rowsOf, TableRows } from '../../../../src/console/web/table-rows.ts'

interface Given {
  readonly name: string
  readonly namespace?: string
  readonly created?: string
  readonly cells?: readonly unknown[]
}

function row({ name, namespace = 'default', created = '2026-01-01T00:00:00Z', cells = [name] }: Given, at = 0) {
  const metadata = { uid: `uid-${namespace}-${name}`, name, namespace, creationTimestamp: created }
  return rowsOf({ rows: [{ cells, object: { metadata } }] }, at)[0]!
}

function tableOf(...given: readonly Given[]): TableRows {
  const rows = new TableRows()
  for (const one of given) rows.put(row(one))
  return rows
}

const names = (rows: TableRows): readonly (string | undefined)[] => rows.shown.map((key) => rows.get(key)?.name)

describe('the rows of a live table', () => {
  it('come in the order of namespaces and names', () => {
    const rows = tableOf({ name: 'b' }, { name: 'a', namespace: 'other' }, { name: 'a' })
    expect(rows.shown).toEqual(['uid-default-a', 'uid-default-b', 'uid-other-a'])
  })

  it('are sorted by a column with numbers as such, up and down', () => {
    const rows = tableOf(...['10/10', '9/9', '1/1'].map((cell, i) => ({ name: `n${i}`, cells: [cell] })))
    rows.sortBy({ column: 0, descending: false }, false)
    expect(names(rows)).toEqual(['n2', 'n1', 'n0'])
    rows.sortBy({ column: 0, descending: true }, false)
    expect(names(rows)).toEqual(['n0', 'n1', 'n2'])
  })

  it('are sorted by age with the youngest first', () => {
    const rows = tableOf({ name: 'old', created: '2025-01-01T00:00:00Z' }, { name: 'new' })
    rows.sortBy({ column: 0, descending: false }, true)
    expect(names(rows)).toEqual(['new', 'old'])
  })

  it('are found by a part of namespace and name', () => {
    const rows = tableOf({ name: 'web-1' }, { name: 'db-1' }, { name: 'x', namespace: 'webs' })
    rows.filterBy(' WEB')
    expect(names(rows)).toEqual(['web-1', 'x'])
    rows.filterBy('')
    expect(rows.shown).toHaveLength(3)
  })

  it('stay where they are when they change, and keep the list as it is', () => {
    const rows = tableOf({ name: 'a' }, { name: 'b' })
    const before = rows.shown
    rows.put(row({ name: 'a', cells: ['changed'] }, 7))
    expect(rows.shown).toBe(before)
    expect(rows.get('uid-default-a')).toMatchObject({ cells: ['changed'], changedAt: 7 })
  })

  it('move when what they are sorted by changes, and go when they are removed', () => {
    const rows = tableOf({ name: 'a', cells: [1] }, { name: 'b', cells: [2] })
    rows.sortBy({ column: 0, descending: false }, false)
    rows.put(row({ name: 'a', cells: [3] }))
    expect(names(rows)).toEqual(['b', 'a'])
    rows.remove('uid-default-b')
    rows.remove('unknown')
    expect(names(rows)).toEqual(['a'])
    rows.sortBy(BY_NAME, false)
    rows.clear()
    expect(rows.size).toBe(0)
    expect(rows.shown).toEqual([])
  })
})

describe('an age', () => {
  const now = Date.parse('2026-01-10T00:00:00Z')
  it.each([
    [0, '0s'],
    [119, '119s'],
    [200, '3m20s'],
    [600, '10m'],
    [3 * 3600, '3h'],
    [3 * 3600 + 120, '3h2m'],
    [30 * 3600, '30h'],
    [3 * 86_400 + 3600, '3d1h'],
    [100 * 86_400, '100d'],
    [800 * 86_400, '2y70d'],
    [-5, '0s'],
  ])('of %d seconds is %s', (seconds, text) => {
    expect(ageText(new Date(now - seconds * 1000).toISOString(), now)).toBe(text)
  })

  it('of nothing is nothing', () => expect(ageText('', now)).toBe(''))
})
