// API services: group versions that are served by another API server.
import { quoted } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { integerOrZero, isTrue, mapOrAbsent, textOrEmpty } from '../../api/members.ts'
import { specOf, statusOf } from '../../api/object-members.ts'
import type { ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { at, conditionAt, textAt } from '../../codec/tables/reading.ts'
import { absent, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Subdomain, type NameFormat, pathSegment, portNumber } from '../../schema/validation/formats.ts'
import { checkMeta, checkMetaUpdate } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { placedMaps } from '../shared/placed-items.ts'
import { WITH_STATUS_ALONE } from '../shared/strategies.ts'

const SPEC = FieldPath.root('spec')

function checkService(object: ValueMap, check: Check): void {
  const spec = specOf(object)
  const group = textOrEmpty(spec, 'group')
  const version = textOrEmpty(spec, 'version')
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
  const bundle = textOrEmpty(spec, 'caBundle')
  const service = mapOrAbsent(spec, 'service')
  const insecure = SPEC.child('insecureSkipTLSVerify')
  if (service === undefined) {
    const size = `${Buffer.byteLength(bundle, 'base64')} bytes`
    if (bundle !== '') check.invalid(SPEC.child('caBundle'), size, 'local APIServices may not have a caBundle')
    if (isTrue(spec, 'insecureSkipTLSVerify')) {
      check.invalid(insecure, true, 'local APIServices may not have insecureSkipTLSVerify')
    }
    return
  }
  check.fields(service, SPEC.child('service'), 'apiregistration.k8s.io_v1.ServiceReference')
  const port = integerOrZero(service, 'port')
  const faults = portNumber(port)
  if (faults.length > 0) {
    check.invalid(SPEC.child('service').child('port'), port, `port is not valid: ${faults.join(', ')}`)
  }
  if (bundle !== '' && isTrue(spec, 'insecureSkipTLSVerify')) {
    check.invalid(insecure, true, 'may not be true if caBundle is present')
  }
}

function available(service: ValueMap): string {
  const condition = conditionAt(service, 'Available', 'status', 'conditions')
  if (condition === undefined) return 'Unknown'
  const status = textAt(condition, 'status')
  return status === 'True' ? status : `${status} (${textAt(condition, 'reason')})`
}

function backend(service: ValueMap): string {
  const reference = at(service, 'spec', 'service')
  return reference === undefined ? 'Local' : `${textAt(reference, 'namespace')}/${textAt(reference, 'name')}`
}

const LOCAL = {
  type: 'Available',
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
} as const

export const API_SERVICE: Kind = {
  validation: {
    create: checkService,
    update: (object, stored, check) => {
      checkMetaUpdate(object, stored, check)
      checkService(object, check)
    },
    subresources: {
      status: (object, stored, check) => {
        checkMetaUpdate(object, stored, check)
        for (const [condition, at] of placedMaps(statusOf(object), 'conditions', FieldPath.root('status'))) {
          check.fields(condition, at, 'apiregistration.k8s.io_v1.APIServiceCondition')
        }
      },
    },
  },
  defaults: within({ spec: within({ service: within({ port: absent(443) }) }) }),
  strategy: {
    conditionalUpdate: true,
    status: WITH_STATUS_ALONE,
    // Local ones are available at once (W-623).
    firstStatus: (object, { now }) =>
      Object.hasOwn(specOf(object), 'service') ? {} : { conditions: [{ ...LOCAL, lastTransitionTime: now }] },
  },
  columns: tableOf([
    NAME,
    column('Service', 'Who serves the version.', backend),
    column('Available', 'Whether it can be reached.', available),
    AGE,
  ]),
  storagePrefix: 'apiregistration.k8s.io/apiservices',
  olderVersions: { 'apiregistration.k8s.io/v1beta1': 'same' },
}
