// Ingress classes: the controller that implements an ingress.
import { FieldPath } from '../../api/field-path.ts'
import type { IngressClass, IngressClassParametersReference, IngressClassSpec } from '../../api/gen/kinds.ts'
import { own } from '../../api/value.ts'
import { AGE, column, NAME_DESCRIPTION, tableOf } from '../../codec/tables/column.ts'
import { absent, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  labelName,
  subdomainName,
} from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { checkDomainPath } from '../shared/domain-path.ts'
import { GENERATION_OF_SPEC } from '../shared/strategies.ts'
import { checkReference } from './ingress.ts'

const SPEC = FieldPath.root<IngressClassSpec>('spec')
const TYPE = 'networking.k8s.io_v1.IngressClassSpec'

function checkClass(object: IngressClass, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const { spec } = object
  check.fields(spec, SPEC, TYPE)
  checkDomainPath(spec.controller ?? '', SPEC.child('controller'), check)
  check.part(spec, 'parameters', SPEC, checkParameters)
}

type Parameters = IngressClassParametersReference

function checkParameters(parameters: Parameters, at: FieldPath<Parameters>, check: Check): void {
  checkReference(parameters, at, check)
  const { scope, namespace } = parameters
  const place = at.child('namespace')
  check.fields(parameters, at, 'networking.k8s.io_v1.IngressClassParametersReference', 'scope')
  if (scope === 'Namespace') {
    if (namespace === undefined) check.required(place, "`parameters.scope` is set to 'Namespace'")
    else check.format(place, namespace, labelName(namespace, false))
  } else if (scope === 'Cluster' && namespace !== undefined) {
    check.forbidden(place, "`parameters.scope` is set to 'Cluster'")
  }
}

function className({ metadata: { name = '', annotations = {} } }: IngressClass): string {
  const marked = own(annotations, 'ingressclass.kubernetes.io/is-default-class')
  return marked === 'true' ? `${name} (default)` : name
}

function classParameters({ spec: { parameters } }: IngressClass): string {
  if (parameters === undefined) return '<none>'
  const { apiGroup = '', kind, name } = parameters
  return `${kind}${apiGroup === '' ? '' : `.${apiGroup}`}/${name}`
}

export const INGRESS_CLASS: Kind = typedKind<IngressClass>({
  validation: {
    create: checkClass,
    update: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      check.unchangedFields({ object: object.spec, stored: stored.spec, at: SPEC }, TYPE)
      checkClass(object, check)
    },
  },
  defaults: within({ spec: within({ parameters: within({ scope: absent('Cluster') }) }) }),
  strategy: { generation: GENERATION_OF_SPEC },
  columns: tableOf([
    column('Name', NAME_DESCRIPTION, className, { format: 'name' }),
    column('Controller', 'The controller that serves the class.', ({ spec }) => spec.controller ?? ''),
    column('Parameters', 'The object with more settings for the controller.', classParameters),
    AGE,
  ]),
  olderVersions: { 'networking.k8s.io/v1beta1': 'same' },
})
