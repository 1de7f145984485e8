import { describe, expect, it } from 'vitest'
import { orderByOf, orderFields } from '../../../../src/console/web/order-fields.ts'
import type { Column } from '../../../../src/console/web/table-rows.ts'

const columns: readonly Column[] = ['Name', 'Status', 'Restarts', 'Age'].map((name) => ({
  name,
  type: 'string',
  priority: 0,
}))

describe('the order that the server is asked for', () => {
  it.each([
    ['its own', undefined, false, ''],
    ['namespaces and names, down', undefined, true, 'metadata.namespace desc,metadata.name desc'],
    ['a column', 1, false, 'status.phase'],
    ['a column, down', 1, true, 'status.phase desc'],
    ['the youngest first', 3, false, 'metadata.creationTimestamp desc'],
    ['the oldest first', 3, true, 'metadata.creationTimestamp'],
    ['unknown for a column of several fields', 2, false, undefined],
  ])('is %s', (_what, column, descending, wanted) =>
    expect(orderByOf({ column, descending }, columns, orderFields('pods', 'v1'))).toBe(wanted),
  )

  it('has the columns of definitions with plain paths', () => {
    const column = (name: string, jsonPath: string) => ({ name, jsonPath })
    const printed = [column('Size', '.spec.size'), column('First', '.spec.items[0].name')]
    const versions = [{ name: 'v1', additionalPrinterColumns: printed }, { name: 'v2' }]
    expect(orderFields('boats.sea.example', 'v1', { spec: { versions } })).toMatchObject({ Size: 'spec.size' })
    expect(orderFields('boats.sea.example', 'v1', { spec: { versions } })).not.toHaveProperty('First')
    expect(orderFields('boats.sea.example', 'v2', { spec: { versions } })).not.toHaveProperty('Size')
  })
})
