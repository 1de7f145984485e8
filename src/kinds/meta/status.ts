// Status, as a table.
import { column, tableOf, text } from '../../codec/tables/column.ts'
import type { Kind } from '../kind.ts'

export const STATUS: Kind = {
  columns: tableOf([
    column('Status', 'Success or failure.', text('status')),
    column('Reason', 'The reason, in one word.', text('reason')),
    column('Message', 'The message for people.', text('message')),
  ]),
}
