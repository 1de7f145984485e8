// Lease candidates. Off by default.
import { AGE, column, NAME, tableOf, text } from '../../codec/tables/column.ts'
import type { Kind } from '../kind.ts'

export const LEASE_CANDIDATE: Kind = {
  columns: tableOf([
    NAME,
    column('LeaseName', 'The lease that it wants.', text('spec', 'leaseName')),
    column('BinaryVersion', 'The version of the candidate.', text('spec', 'binaryVersion')),
    column('EmulationVersion', 'The version that it behaves like.', text('spec', 'emulationVersion')),
    AGE,
  ]),
}
