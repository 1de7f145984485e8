// Pod certificate requests. Off by default.
import { column, NAME, tableOf, text } from '../../codec/tables/column.ts'
import { labelText, mapAt } from '../../codec/tables/reading.ts'
import type { Kind } from '../kind.ts'
import { stateOf } from '../shared/condition-column.ts'

export const POD_CERTIFICATE_REQUEST: Kind = {
  columns: tableOf([
    NAME,
    column('PodName', 'The pod that asks.', text('spec', 'podName')),
    column('ServiceAccountName', 'The account of the pod.', text('spec', 'serviceAccountName')),
    column('NodeName', 'The node of the pod.', text('spec', 'nodeName')),
    column('SignerName', 'Who is asked to sign.', text('spec', 'signerName')),
    column('State', 'What was decided.', (one) => stateOf(one, ['Issued', 'Denied', 'Failed'], 'Pending')),
    column('UnverifiedUserAnnotations', 'What the pod says of itself.', (one) =>
      labelText(mapAt(one, 'spec', 'unverifiedUserAnnotations')),
    ),
  ]),
}
