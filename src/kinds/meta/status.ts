// Status, as a table.
import { column, tableOf, text } from '../../codec/tables/column.ts'
import type { Kind } from '../kind.ts'

export const STATUS: Kind = {
  columns: tableOf([
    column('Status', 'Success or failure.', text('status')),
    column('Reason', 'Why, in one word.', text('reason')),
    column('Message', 'What happened.', text('message')),
  ]),
}
