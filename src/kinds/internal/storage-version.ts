// The versions that replicas store objects in. Off by default.
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { firstOf, listAt, orUnset, textAt } from '../../codec/tables/reading.ts'
import type { Kind } from '../kind.ts'

export const STORAGE_VERSION: Kind = {
  columns: tableOf([
    NAME,
    column('CommonEncodingVersion', 'The version that all replicas store.', (one) =>
      orUnset(textAt(one, 'status', 'commonEncodingVersion')),
    ),
    column('StorageVersions', 'The version that each replica stores.', (one) => {
      const versions = listAt(one, 'status', 'storageVersions')
      const texts = versions.map((each) => `${textAt(each, 'apiServerID')}=${textAt(each, 'encodingVersion')}`)
      return orUnset(firstOf(texts, 3))
    }),
    AGE,
  ]),
}
