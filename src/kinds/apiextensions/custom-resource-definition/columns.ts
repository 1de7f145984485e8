// The columns of definitions from level 1.37 on. At earlier levels, definitions have the default columns.
import type { ValueMap } from '../../../api/value.ts'
import { CREATED_AT } from '../../../codec/table.ts'
import { column, NAME, tableOf, text, wide } from '../../../codec/tables/column.ts'
import { at, conditionHolds, listAt, textAt } from '../../../codec/tables/reading.ts'

/** The served versions. The storage version has a mark. */
function versions(object: ValueMap): string {
  const served = listAt(object, 'spec', 'versions').filter((version) => at(version, 'served') === true)
  const names = served.map(
    (version) => `${textAt(version, 'name')}${at(version, 'storage') === true ? '(storage)' : ''}`,
  )
  return names.sort().join(',')
}

export const COLUMNS = tableOf([
  NAME,
  column('Scope', 'Cluster or Namespaced.', text('spec', 'scope')),
  column('Versions', 'The served versions.', versions),
  CREATED_AT,
  wide('Group', 'The group of the API.', text('spec', 'group')),
  wide('Kind', 'The kind of the custom resources.', text('spec', 'names', 'kind')),
  wide('ShortNames', 'The short names of the custom resources.', (object) => {
    return listAt(object, 'spec', 'names', 'shortNames')
      .map((name) => textAt(name))
      .join(',')
  }),
  column(
    'Established',
    'Whether the custom resources are served.',
    (object) => conditionHolds(object, 'Established', 'status', 'conditions'),
    {
      type: 'boolean',
      priority: 1,
    },
  ),
])
