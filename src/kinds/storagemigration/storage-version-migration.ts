// Storage version migrations. Off by default.
import type { ValueMap } from '../../api/value.ts'
import { column, NAME_DESCRIPTION, nameOf, tableOf } from '../../codec/tables/column.ts'
import { mapAt, textAt } from '../../codec/tables/reading.ts'
import type { Kind } from '../kind.ts'
import { stateOf } from '../shared/condition-column.ts'

function migrated(migration: ValueMap): string {
  const { group, version, resource } = mapAt(migration, 'spec', 'resource')
  return [resource, version, group]
    .map((part) => textAt(part))
    .filter((part) => part !== '')
    .join('.')
}

export const STORAGE_VERSION_MIGRATION: Kind = {
  columns: tableOf([
    column('Name', NAME_DESCRIPTION, nameOf),
    column('Resource', 'What is written anew.', migrated),
    column('Status', 'How far it has come.', (one) => stateOf(one, ['Succeeded', 'Failed', 'Running'], '')),
  ]),
}
