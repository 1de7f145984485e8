// Flow schemas: each sends the requests that it matches to a priority level.
import { shownJson } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import type {
  FlowcontrolV1Subject,
  FlowSchema,
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  ServiceAccountSubject,
  UserSubject,
} from '../../api/gen/kinds.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { orNone } from '../../codec/tables/reading.ts'
import { always, within, zero } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Label, dns1123Subdomain } from '../../schema/validation/formats.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { GENERATION_OF_SPEC, WITH_STATUS_ALONE } from '../shared/strategies.ts'
import { checkMandatory, checkStatus } from './flow-control.ts'

const SPEC = FieldPath.root<FlowSchemaSpec>('spec')
const MAX_PRECEDENCE = 10_000

const VERBS: readonly string[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'proxy',
  'update',
  'watch',
]

const ANY: ResourcePolicyRule = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  clusterScope: true,
  namespaces: ['*'],
}
const ANY_PATH: NonResourcePolicyRule = { verbs: ['*'], nonResourceURLs: ['*'] }

function mandatorySchema(level: string, precedence: number, groups: readonly string[]): FlowSchemaSpec {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    rules: [
      {
        subjects: groups.map((name) => ({ kind: 'Group', group: { name } })),
        resourceRules: [ANY],
        nonResourceRules: [ANY_PATH],
      },
    ],
  }
}

const MANDATORY_SCHEMAS: Readonly<Record<string, FlowSchemaSpec>> = {
  exempt: mandatorySchema('exempt', 1, ['system:masters']),
  'catch-all': {
    ...mandatorySchema('catch-all', MAX_PRECEDENCE, ['system:unauthenticated', 'system:authenticated']),
    distinguisherMethod: { type: 'ByUser' },
  },
}

function checkFlowSchema(object: FlowSchema, check: Check): void {
  const { metadata, spec } = object
  const { matchingPrecedence: precedence, distinguisherMethod: method, priorityLevelConfiguration } = spec
  const at = SPEC.child('matchingPrecedence')
  if (precedence <= 0) check.invalid(at, precedence, 'must be a positive value')
  if (precedence > MAX_PRECEDENCE) check.invalid(at, precedence, `must not be greater than ${MAX_PRECEDENCE}`)
  if (precedence === 1 && metadata.name !== 'exempt') {
    check.invalid(at, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")
  }
  if (method !== undefined && !['ByNamespace', 'ByUser'].includes(method.type)) {
    const shown = shownJson({ Type: method.type })
    check.notSupported(SPEC.child('distinguisherMethod').child('type'), shown, ['ByNamespace', 'ByUser'])
  }
  const level = SPEC.child('priorityLevelConfiguration')
  const type = 'flowcontrol.apiserver.k8s.io_v1.PriorityLevelConfigurationReference'
  check.fields(priorityLevelConfiguration, level, type)
  check.each(spec, 'rules', SPEC, checkFlowRule)
  checkMandatory(object, MANDATORY_SCHEMAS, undefined, check)
  checkStatus(object, check)
}

function checkFlowRule(rule: PolicyRulesWithSubjects, at: FieldPath<PolicyRulesWithSubjects>, check: Check): void {
  check.each(rule, 'subjects', at, checkSubject)
  check.fields(rule, at, 'flowcontrol.apiserver.k8s.io_v1.PolicyRulesWithSubjects')
  const { resourceRules: resources = [], nonResourceRules: paths = [] } = rule
  if (resources.length === 0 && paths.length === 0) {
    check.required(at, 'at least one of resourceRules and nonResourceRules has to be non-empty')
  }
  check.each(rule, 'resourceRules', at, checkResourceRule)
  check.each(rule, 'nonResourceRules', at, checkPathRule)
}

const SUBJECTS: Readonly<Record<string, 'serviceAccount' | 'user' | 'group'>> = {
  ServiceAccount: 'serviceAccount',
  User: 'user',
  Group: 'group',
}

function checkSubject(subject: FlowcontrolV1Subject, at: FieldPath<FlowcontrolV1Subject>, check: Check): void {
  const { kind } = subject
  const own = Object.hasOwn(SUBJECTS, kind) ? SUBJECTS[kind] : undefined
  if (own === undefined) {
    check.notSupported(at.child('kind'), kind, ['Group', 'ServiceAccount', 'User'])
    return
  }
  const part = subject[own]
  if (part === undefined) check.required(at.child(own), `${own} is required when subject kind is '${kind}'`)
  else checkSubjectName(part, kind, at.child(own), check)
  for (const [other, field] of Object.entries(SUBJECTS)) {
    if (field === own || subject[field] === undefined) continue
    check.forbidden(at.child(field), `${field} is forbidden when subject kind is not '${other}'`)
  }
}

function checkSubjectName(
  subject: UserSubject | ServiceAccountSubject,
  kind: string,
  at: FieldPath,
  check: Check,
): void {
  const { name } = subject
  check.fields(subject, at, 'flowcontrol.apiserver.k8s.io_v1.ServiceAccountSubject', 'name')
  if (kind !== 'ServiceAccount') return
  if (name !== '' && name !== '*') check.format(at.child('name'), name, dns1123Subdomain(name))
  check.fields(subject, at, 'flowcontrol.apiserver.k8s.io_v1.ServiceAccountSubject', 'namespace')
}

function checkVerbs(verbs: readonly string[], at: FieldPath, check: Check): void {
  if (verbs.length === 0) check.required(at, 'verbs must contain at least one value')
  else if (verbs.includes('*')) checkAlone(verbs, 'verbs', at, check)
  else if (!verbs.every((verb) => VERBS.includes(verb))) check.notSupported(at, verbs, VERBS)
}

function checkAlone(words: readonly string[], others: string, at: FieldPath, check: Check): void {
  if (words.length > 1 && words.includes('*')) {
    check.invalid(at, words, `if '*' is present, must not specify other ${others}`)
  }
}

function checkResourceRule(rule: ResourcePolicyRule, at: FieldPath<ResourcePolicyRule>, check: Check): void {
  checkVerbs(rule.verbs ?? [], at.child('verbs'), check)
  for (const [field, word] of [
    ['apiGroups', 'api group'],
    ['resources', 'resource'],
  ] as const) {
    const words = rule[field] ?? []
    if (words.length === 0) check.required(at.child(field), `resource rules must supply at least one ${word}`)
    else checkAlone(words, `${word}s`, at.child(field), check)
  }
  const namespaces = rule.namespaces ?? []
  const place = at.child('namespaces')
  if (namespaces.length === 0 && rule.clusterScope !== true) {
    check.required(place, 'resource rules that are not cluster scoped must supply at least one namespace')
  } else if (namespaces.includes('*')) checkAlone(namespaces, 'namespaces', place, check)
  else {
    for (const [i, namespace] of namespaces.entries()) {
      const faults = dns1123Label(namespace)
      check.format(
        place.index(i),
        namespace,
        faults.map((fault) => `each member of this list must be '*' or a DNS-1123 label; ${fault}`),
      )
    }
  }
}

function checkPathRule(rule: NonResourcePolicyRule, at: FieldPath<NonResourcePolicyRule>, check: Check): void {
  checkVerbs(rule.verbs ?? [], at.child('verbs'), check)
  const urls = rule.nonResourceURLs ?? []
  const place = at.child('nonResourceURLs')
  if (urls.length === 0) check.required(place, 'nonResourceURLs must contain at least one value')
  else if (urls.includes('*')) checkAlone(urls, 'non-resource URLs', place, check)
  else {
    for (const [i, url] of urls.entries()) {
      const fault = pathFault(url)
      if (fault !== undefined) check.invalid(place.index(i), url, fault)
    }
  }
}

function pathFault(path: string): string | undefined {
  if (path === '') return 'must not be empty'
  if (path === '/') return undefined
  if (!path.startsWith('/')) return 'must start with slash'
  if (path.includes(' ')) return 'must not contain white-space'
  if (path.includes('//')) return 'must not contain double slash'
  const star = path.indexOf('*')
  const isSuffix = star === path.length - 1 && path.at(-2) === '/'
  return star < 0 || isSuffix ? undefined : 'wildcard can only do suffix matching'
}

export const FLOW_SCHEMA: Kind = typedKind<FlowSchema>({
  validation: {
    ...builtInRules({ object: checkFlowSchema }),
    subresources: { status: (object, _stored, check) => checkStatus(object, check) },
  },
  defaults: within({ spec: always({ matchingPrecedence: zero(1000) }) }),
  strategy: { generation: GENERATION_OF_SPEC, status: WITH_STATUS_ALONE },
  columns: tableOf([
    NAME,
    column('PriorityLevel', 'The priority level of the requests.', ({ spec }) => spec.priorityLevelConfiguration.name),
    column('MatchingPrecedence', 'Schemas with lower values come first.', ({ spec }) => spec.matchingPrecedence),
    column('DistinguisherMethod', 'The property that distinguishes flows.', ({ spec }) =>
      orNone(spec.distinguisherMethod?.type ?? ''),
    ),
    AGE,
    column(
      'MissingPL',
      'Whether the level is missing.',
      ({ status }) => status.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
    ),
  ]),
  olderVersions: {
    'flowcontrol.apiserver.k8s.io/v1beta1': 'same',
    'flowcontrol.apiserver.k8s.io/v1beta2': 'same',
    'flowcontrol.apiserver.k8s.io/v1beta3': 'same',
  },
})
