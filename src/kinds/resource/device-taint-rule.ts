// Taint rules of devices. Off by default.
import { AGE, column, NAME, tableOf, text } from '../../codec/tables/column.ts'
import { ageOf } from '../../codec/tables/elapsed.ts'
import { textAt } from '../../codec/tables/reading.ts'
import type { Kind } from '../kind.ts'

export const DEVICE_TAINT_RULE: Kind = {
  columns: tableOf([
    NAME,
    column('Key', 'The key of the taint.', text('spec', 'taint', 'key')),
    column('Value', 'The value of the taint.', text('spec', 'taint', 'value')),
    column('Effect', 'What the taint does.', text('spec', 'taint', 'effect')),
    column('TimeAdded', 'How long ago the taint was added.', (rule, now) =>
      ageOf(textAt(rule, 'spec', 'taint', 'timeAdded'), now),
    ),
    AGE,
  ]),
}
