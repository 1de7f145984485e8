// API services: group versions that are served by another API server.
import { quoted } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import type { APIService, APIServiceSpec } from '../../api/gen/kinds.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { absent, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Subdomain, type NameFormat, pathSegment, portNumber } from '../../schema/validation/formats.ts'
import { checkMeta, checkMetaUpdate } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { WITH_STATUS_ALONE } from '../shared/strategies.ts'

const SPEC = FieldPath.root<APIServiceSpec>('spec')

function checkService(object: APIService, check: Check): void {
  const { spec } = object
  const { group = '', version = '', caBundle: bundle = '', service, insecureSkipTLSVerify } = spec
  const wanted = `${version}.${group}`
  const named: NameFormat = (name) => {
    const faults = pathSegment(name)
    if (faults.length > 0 || name === wanted) return faults
    return [`must be \`spec.version+"."+spec.group\`: ${quoted(wanted)}`]
  }
  checkMeta(object, named, check)
  const at = SPEC.child('group')
  if (group !== '') check.format(at, group, dns1123Subdomain(group))
  else if (version !== 'v1') check.required(at, 'only v1 may have an empty group and it better be legacy kube')
  check.fields(spec, SPEC, 'apiregistration.k8s.io_v1.APIServiceSpec')
  const insecure = SPEC.child('insecureSkipTLSVerify')
  if (service === undefined) {
    const size = `${Buffer.byteLength(bundle, 'base64')} bytes`
    if (bundle !== '') check.invalid(SPEC.child('caBundle'), size, 'local APIServices may not have a caBundle')
    if (insecureSkipTLSVerify === true) {
      check.invalid(insecure, true, 'local APIServices may not have insecureSkipTLSVerify')
    }
    return
  }
  check.fields(service, SPEC.child('service'), 'apiregistration.k8s.io_v1.ServiceReference')
  const { port = 0 } = service
  const faults = portNumber(port)
  if (faults.length > 0) {
    check.invalid(SPEC.child('service').child('port'), port, `port is not valid: ${faults.join(', ')}`)
  }
  if (bundle !== '' && insecureSkipTLSVerify === true) {
    check.invalid(insecure, true, 'may not be true if caBundle is present')
  }
}

function available({ status: { conditions = [] } }: APIService): string {
  const condition = conditions.find(({ type }) => type === 'Available')
  if (condition === undefined) return 'Unknown'
  const { status, reason = '' } = condition
  return status === 'True' ? status : `${status} (${reason})`
}

function backend({ spec: { service } }: APIService): string {
  return service === undefined ? 'Local' : `${service.namespace ?? ''}/${service.name ?? ''}`
}

const LOCAL = {
  type: 'Available',
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
} as const

export const API_SERVICE: Kind = typedKind<APIService>({
  validation: {
    create: checkService,
    update: (object, stored, check) => {
      checkMetaUpdate(object, stored, check)
      checkService(object, check)
    },
    subresources: {
      status: (object, stored, check) => {
        checkMetaUpdate(object, stored, check)
        check.each(object.status, 'conditions', FieldPath.root('status'), (condition, at) =>
          check.fields(condition, at, 'apiregistration.k8s.io_v1.APIServiceCondition'),
        )
      },
    },
  },
  defaults: within({ spec: within({ service: within({ port: absent(443) }) }) }),
  strategy: {
    conditionalUpdate: true,
    status: WITH_STATUS_ALONE,
    // An APIService without a service is available at once (W-623).
    firstStatus: (object, { now }) =>
      object.spec.service !== undefined ? {} : { conditions: [{ ...LOCAL, lastTransitionTime: now }] },
  },
  columns: tableOf([
    NAME,
    column('Service', 'The service that serves the version.', backend),
    column('Available', 'Whether the service can be reached.', available),
    AGE,
  ]),
  storagePrefix: 'apiregistration.k8s.io/apiservices',
  olderVersions: { 'apiregistration.k8s.io/v1beta1': 'same' },
})
