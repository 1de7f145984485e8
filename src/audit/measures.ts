// The metrics of auditing (P-193).
import { counter, Measures } from '../lib/measure.ts'

export class AuditMeasures extends Measures {
  readonly events = counter('apiserver_audit_event_total', 'Audit events generated and sent to the audit backends.')
  readonly errors = counter('apiserver_audit_error_total', 'Audit events that were lost, by backend.', ['plugin'])
  readonly levels = counter('apiserver_audit_level_total', 'Requests, by audit policy level.', ['level'])
  readonly rejected = counter(
    'apiserver_audit_requests_rejected_total',
    'Requests rejected because auditing them failed.',
  )
}
