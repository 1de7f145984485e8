// Ingress classes: the controller that implements an ingress.
import { FieldPath } from '../../api/field-path.ts'
import { mapOrAbsent, mapOrEmpty, textOrAbsent, textOrEmpty } from '../../api/members.ts'
import type { ValueMap } from '../../api/value.ts'
import { AGE, column, NAME_DESCRIPTION, tableOf, text } from '../../codec/tables/column.ts'
import { at, textAt } from '../../codec/tables/reading.ts'
import { absent, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  labelName,
  subdomainName,
} from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { checkDomainPath } from '../shared/domain-path.ts'
import { GENERATION_OF_SPEC } from '../shared/strategies.ts'
import { checkReference } from './ingress.ts'

const SPEC = FieldPath.root('spec')
const TYPE = 'networking.k8s.io_v1.IngressClassSpec'

function checkClass(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const spec = mapOrEmpty(object, 'spec')
  check.fields(spec, SPEC, TYPE)
  checkDomainPath(textOrEmpty(spec, 'controller'), SPEC.child('controller'), check)
  const parameters = mapOrAbsent(spec, 'parameters')
  if (parameters !== undefined) checkParameters(parameters, SPEC.child('parameters'), check)
}

function checkParameters(parameters: ValueMap, at: FieldPath, check: Check): void {
  checkReference(parameters, at, check)
  const scope = textOrAbsent(parameters, 'scope')
  const namespace = textOrAbsent(parameters, 'namespace')
  const place = at.child('namespace')
  check.fields(parameters, at, 'networking.k8s.io_v1.IngressClassParametersReference', 'scope')
  if (scope === 'Namespace') {
    if (namespace === undefined) check.required(place, "`parameters.scope` is set to 'Namespace'")
    else check.format(place, namespace, labelName(namespace, false))
  } else if (scope === 'Cluster' && namespace !== undefined) {
    check.forbidden(place, "`parameters.scope` is set to 'Cluster'")
  }
}

function className(ingressClass: ValueMap): string {
  const name = textAt(ingressClass, 'metadata', 'name')
  const marked = textAt(ingressClass, 'metadata', 'annotations', 'ingressclass.kubernetes.io/is-default-class')
  return marked === 'true' ? `${name} (default)` : name
}

function classParameters(ingressClass: ValueMap): string {
  const parameters = at(ingressClass, 'spec', 'parameters')
  if (parameters === undefined) return '<none>'
  const group = textAt(parameters, 'apiGroup')
  return `${textAt(parameters, 'kind')}${group === '' ? '' : `.${group}`}/${textAt(parameters, 'name')}`
}

export const INGRESS_CLASS: Kind = {
  validation: {
    create: checkClass,
    update: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      check.unchangedFields({ object: mapOrEmpty(object, 'spec'), stored: mapOrEmpty(stored, 'spec'), at: SPEC }, TYPE)
      checkClass(object, check)
    },
  },
  defaults: within({ spec: within({ parameters: within({ scope: absent('Cluster') }) }) }),
  strategy: { generation: GENERATION_OF_SPEC },
  columns: tableOf([
    column('Name', NAME_DESCRIPTION, className, { format: 'name' }),
    column('Controller', 'The controller that serves the class.', text('spec', 'controller')),
    column('Parameters', 'Where the controller finds more settings.', classParameters),
    AGE,
  ]),
  olderVersions: { 'networking.k8s.io/v1beta1': 'same' },
}
