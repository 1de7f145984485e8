// What auditing counts (P-193).
import { counterFamily, Measures } from '../lib/measure.ts'

export class AuditMeasures extends Measures {
  readonly events = counterFamily({
    name: 'apiserver_audit_event_total',
    help: 'Audit events made and handed to the back ends.',
    labels: [],
  })
  readonly errors = counterFamily({
    name: 'apiserver_audit_error_total',
    help: 'Audit events that could not be kept.',
    labels: ['plugin'],
  })
  readonly levels = counterFamily({
    name: 'apiserver_audit_level_total',
    help: 'Requests by the level that the policy has for them.',
    labels: ['level'],
  })
  readonly rejected = counterFamily({
    name: 'apiserver_audit_requests_rejected_total',
    help: 'Requests refused because they could not be audited.',
    labels: [],
  })
}
