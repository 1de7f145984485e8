// Flow schemas: which requests go to which priority level.
import { shownJson } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import {
  integerOrZero,
  isGiven,
  isTrue,
  mapOrAbsent,
  mapOrEmpty,
  textOrEmpty,
  textsInPlace,
} from '../../api/members.ts'
import { metaText, specOf } from '../../api/object-members.ts'
import type { ValueMap } from '../../api/value.ts'
import { AGE, column, count, NAME, tableOf, text } from '../../codec/tables/column.ts'
import { conditionAt, orNone, textAt } from '../../codec/tables/reading.ts'
import { always, within, zero } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Label, dns1123Subdomain } from '../../schema/validation/formats.ts'
import type { Kind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { placedMaps, placedTexts } from '../shared/placed-items.ts'
import { GENERATION_OF_SPEC, WITH_STATUS_ALONE } from '../shared/strategies.ts'
import { checkMandatory, checkStatus } from './flow-control.ts'

const SPEC = FieldPath.root('spec')
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

const ANY: ValueMap = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }
const ANY_PATH: ValueMap = { verbs: ['*'], nonResourceURLs: ['*'] }

function mandatorySchema(level: string, precedence: number, groups: readonly string[]): ValueMap {
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

const MANDATORY_SCHEMAS: Readonly<Record<string, ValueMap>> = {
  exempt: mandatorySchema('exempt', 1, ['system:masters']),
  'catch-all': {
    ...mandatorySchema('catch-all', MAX_PRECEDENCE, ['system:unauthenticated', 'system:authenticated']),
    distinguisherMethod: { type: 'ByUser' },
  },
}

function checkFlowSchema(object: ValueMap, check: Check): void {
  const spec = specOf(object)
  const name = metaText(object, 'name')
  const precedence = integerOrZero(spec, 'matchingPrecedence')
  const at = SPEC.child('matchingPrecedence')
  if (precedence <= 0) check.invalid(at, precedence, 'must be a positive value')
  if (precedence > MAX_PRECEDENCE) check.invalid(at, precedence, `must not be greater than ${MAX_PRECEDENCE}`)
  if (Number(precedence) === 1 && name !== 'exempt') {
    check.invalid(at, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")
  }
  const method = mapOrAbsent(spec, 'distinguisherMethod')
  if (method !== undefined && !['ByNamespace', 'ByUser'].includes(textOrEmpty(method, 'type'))) {
    const shown = shownJson({ Type: textOrEmpty(method, 'type') })
    check.notSupported(SPEC.child('distinguisherMethod').child('type'), shown, ['ByNamespace', 'ByUser'])
  }
  const level = SPEC.child('priorityLevelConfiguration')
  const type = 'flowcontrol.apiserver.k8s.io_v1.PriorityLevelConfigurationReference'
  check.fields(mapOrEmpty(spec, 'priorityLevelConfiguration'), level, type)
  for (const [rule, place] of placedMaps(spec, 'rules', SPEC)) checkFlowRule(rule, place, check)
  checkMandatory(object, MANDATORY_SCHEMAS, undefined, check)
  checkStatus(object, check)
}

function checkFlowRule(rule: ValueMap, at: FieldPath, check: Check): void {
  for (const [subject, place] of placedMaps(rule, 'subjects', at)) checkSubject(subject, place, check)
  check.fields(rule, at, 'flowcontrol.apiserver.k8s.io_v1.PolicyRulesWithSubjects')
  const resources = placedMaps(rule, 'resourceRules', at)
  const paths = placedMaps(rule, 'nonResourceRules', at)
  if (resources.length === 0 && paths.length === 0) {
    check.required(at, 'at least one of resourceRules and nonResourceRules has to be non-empty')
  }
  for (const [inner, place] of resources) checkResourceRule(inner, place, check)
  for (const [inner, place] of paths) checkPathRule(inner, place, check)
}

const SUBJECTS: Readonly<Record<string, string>> = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' }

function checkSubject(subject: ValueMap, at: FieldPath, check: Check): void {
  const kind = textOrEmpty(subject, 'kind')
  const own = Object.hasOwn(SUBJECTS, kind) ? SUBJECTS[kind] : undefined
  if (own === undefined) {
    check.notSupported(at.child('kind'), kind, ['Group', 'ServiceAccount', 'User'])
    return
  }
  const part = mapOrAbsent(subject, own)
  if (part === undefined) check.required(at.child(own), `${own} is required when subject kind is '${kind}'`)
  else checkSubjectName(part, kind, at.child(own), check)
  for (const [other, field] of Object.entries(SUBJECTS)) {
    if (field === own || !isGiven(subject, field)) continue
    check.forbidden(at.child(field), `${field} is forbidden when subject kind is not '${other}'`)
  }
}

function checkSubjectName(subject: ValueMap, kind: string, at: FieldPath, check: Check): void {
  const name = textOrEmpty(subject, 'name')
  check.fields(subject, at, 'flowcontrol.apiserver.k8s.io_v1.ServiceAccountSubject', 'name')
  if (kind !== 'ServiceAccount') return
  if (name !== '' && name !== '*') check.format(at.child('name'), name, dns1123Subdomain(name))
  check.fields(subject, at, 'flowcontrol.apiserver.k8s.io_v1.ServiceAccountSubject', 'namespace')
}

function checkVerbs(rule: ValueMap, at: FieldPath, check: Check): void {
  const verbs = textsInPlace(rule, 'verbs')
  if (verbs.length === 0) check.required(at.child('verbs'), 'verbs must contain at least one value')
  else if (verbs.includes('*')) checkAlone(verbs, 'verbs', at.child('verbs'), check)
  else if (!verbs.every((verb) => VERBS.includes(verb))) check.notSupported(at.child('verbs'), verbs, VERBS)
}

function checkAlone(words: readonly string[], others: string, at: FieldPath, check: Check): void {
  if (words.length > 1 && words.includes('*')) {
    check.invalid(at, words, `if '*' is present, must not specify other ${others}`)
  }
}

function checkResourceRule(rule: ValueMap, at: FieldPath, check: Check): void {
  checkVerbs(rule, at, check)
  for (const [field, word] of [
    ['apiGroups', 'api group'],
    ['resources', 'resource'],
  ] as const) {
    const words = textsInPlace(rule, field)
    if (words.length === 0) check.required(at.child(field), `resource rules must supply at least one ${word}`)
    else checkAlone(words, `${word}s`, at.child(field), check)
  }
  const namespaces = textsInPlace(rule, 'namespaces')
  const place = at.child('namespaces')
  if (namespaces.length === 0 && !isTrue(rule, 'clusterScope')) {
    check.required(place, 'resource rules that are not cluster scoped must supply at least one namespace')
  } else if (namespaces.includes('*')) checkAlone(namespaces, 'namespaces', place, check)
  else {
    for (const [namespace, each] of placedTexts(rule, 'namespaces', at)) {
      const faults = dns1123Label(namespace)
      check.format(
        each,
        namespace,
        faults.map((fault) => `each member of this list must be '*' or a DNS-1123 label; ${fault}`),
      )
    }
  }
}

function checkPathRule(rule: ValueMap, at: FieldPath, check: Check): void {
  checkVerbs(rule, at, check)
  const urls = textsInPlace(rule, 'nonResourceURLs')
  const place = at.child('nonResourceURLs')
  if (urls.length === 0) check.required(place, 'nonResourceURLs must contain at least one value')
  else if (urls.includes('*')) checkAlone(urls, 'non-resource URLs', place, check)
  else {
    for (const [url, each] of placedTexts(rule, 'nonResourceURLs', at)) {
      const fault = pathFault(url)
      if (fault !== undefined) check.invalid(each, url, fault)
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

export const FLOW_SCHEMA: Kind = {
  validation: {
    ...builtInRules({ object: checkFlowSchema }),
    subresources: { status: (object, _stored, check) => checkStatus(object, check) },
  },
  defaults: within({ spec: always({ matchingPrecedence: zero(1000) }) }),
  strategy: { generation: GENERATION_OF_SPEC, status: WITH_STATUS_ALONE },
  columns: tableOf([
    NAME,
    column('PriorityLevel', 'The level of its requests.', text('spec', 'priorityLevelConfiguration', 'name')),
    column('MatchingPrecedence', 'Lower ones are asked first.', count('spec', 'matchingPrecedence')),
    column('DistinguisherMethod', 'What tells one flow from another.', (one) =>
      orNone(textAt(one, 'spec', 'distinguisherMethod', 'type')),
    ),
    AGE,
    column(
      'MissingPL',
      'Whether the level is not there.',
      (one) => textAt(conditionAt(one, 'Dangling', 'status', 'conditions'), 'status') || '?',
    ),
  ]),
  olderVersions: {
    'flowcontrol.apiserver.k8s.io/v1beta1': 'same',
    'flowcontrol.apiserver.k8s.io/v1beta2': 'same',
    'flowcontrol.apiserver.k8s.io/v1beta3': 'same',
  },
}
