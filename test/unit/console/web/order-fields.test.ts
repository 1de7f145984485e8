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
    const version = { name: 'v1', served: true, storage: true }
    const versions = [
      { ...version, additionalPrinterColumns: printed },
      { ...version, name: 'v2' },
    ]
    const definition = {
      metadata: { name: 'boats.sea.example', resourceVersion: '1' },
      spec: { group: 'sea.example', scope: 'Namespaced', names: { kind: 'Boat', plural: 'boats' }, versions },
    }
    expect(orderFields('boats.sea.example', 'v1', definition)).toMatchObject({ Size: 'spec.size' })
    expect(orderFields('boats.sea.example', 'v1', definition)).not.toHaveProperty('First')
    expect(orderFields('boats.sea.example', 'v2', definition)).not.toHaveProperty('Size')
  })
})
