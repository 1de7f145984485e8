// Cluster trust bundles. Off by default.
import { column, NAME, tableOf } from '../../codec/tables/column.ts'
import { orNone, textAt } from '../../codec/tables/reading.ts'
import type { Kind } from '../kind.ts'

export const CLUSTER_TRUST_BUNDLE: Kind = {
  columns: tableOf([
    NAME,
    column('SignerName', 'Whose certificates it vouches for.', (one) => orNone(textAt(one, 'spec', 'signerName'))),
  ]),
}
