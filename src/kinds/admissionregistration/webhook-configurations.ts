// Configurations of admission webhooks, validating and mutating. Kubernetes added some checks later. An update of
// an object that already breaks such a check skips it.
import { FieldPath } from '../../api/field-path.ts'
import type {
  MatchCondition,
  MutatingWebhook,
  MutatingWebhookConfiguration,
  RuleWithOperations,
} from '../../api/gen/kinds.ts'
import { equalValues } from '../../api/value.ts'
import { AGE, integer, NAME, tableOf } from '../../codec/tables/column.ts'
import { absent, each, type Fields, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Subdomain } from '../../schema/validation/formats.ts'
import { checkLabelSelector } from '../../schema/validation/labels.ts'
import { checkMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import type { WriteContext } from '../../registry/registry.ts'
import { type Kind, typedKind } from '../kind.ts'
import { checkClientConfig, checkReviewVersions, knowsReview, REVIEW_VERSIONS } from '../shared/webhook-client.ts'
import { checkMatchConditions, checkRule, RULE, SELECTION } from './match-resources.ts'
import { checkStaticName, CONFIGURATION } from './strategy.ts'

const HARMLESS: readonly string[] = ['None', 'NoneOnDryRun']
const SIDE_EFFECTS: readonly string[] = ['None', 'NoneOnDryRun', 'Some', 'Unknown']

/** This type has all fields of ValidatingWebhook. */
type Hook = MutatingWebhook
const TYPE = 'admissionregistration.k8s.io_v1.MutatingWebhook'

interface HookScope {
  readonly check: Check
  readonly allowedSideEffects: readonly string[]
  readonly needsKnownVersion: boolean
  readonly needsUniqueNames: boolean
  readonly skipsConditions: boolean
}

function scopeOf(check: Check, hooks: readonly Hook[] = [], stored?: readonly Hook[]): HookScope {
  const old = stored ?? []
  const conditions = (list: readonly Hook[]): readonly (readonly MatchCondition[])[] =>
    list.map(({ matchConditions = [] }) => matchConditions)
  const hasKnownVersion = ({ admissionReviewVersions: versions }: Hook): boolean =>
    versions === null || versions.length === 0 || knowsReview(versions)
  return {
    check,
    allowedSideEffects: old.every(({ sideEffects }) => HARMLESS.includes(sideEffects ?? '')) ? HARMLESS : SIDE_EFFECTS,
    needsKnownVersion: old.every(hasKnownVersion),
    needsUniqueNames: new Set(old.map(({ name }) => name)).size === old.length,
    skipsConditions: stored !== undefined && equalValues(conditions(hooks), conditions(old)),
  }
}

function checkHooks(object: MutatingWebhookConfiguration, scope: HookScope): void {
  const { check } = scope
  checkMeta(object, subdomainName, check)
  const seen = new Set<string>()
  for (const [i, hook] of (object.webhooks ?? []).entries()) {
    const at = FieldPath.root<readonly Hook[]>('webhooks').index(i)
    const { name, admissionReviewVersions } = hook
    checkHook(hook, at, scope)
    checkReviewVersions(admissionReviewVersions ?? [], at.child('admissionReviewVersions'), {
      check,
      missing: `must specify one of ${REVIEW_VERSIONS.join(', ')}`,
      needsKnown: scope.needsKnownVersion,
    })
    if (scope.needsUniqueNames && name !== '' && seen.has(name)) check.duplicate(at.child('name'), name)
    seen.add(name)
  }
}

function checkHook(hook: Hook, at: FieldPath<Hook>, { check, allowedSideEffects, skipsConditions }: HookScope): void {
  checkHookName(hook.name, at.child('name'), check)
  check.each(hook, 'rules', at, checkRule)
  check.fields(hook, at, TYPE, 'failurePolicy', 'matchPolicy')
  const { sideEffects: effects } = hook
  const place = at.child('sideEffects')
  if (effects === null) check.required(place, `must specify one of ${allowedSideEffects.join(', ')}`)
  else check.oneOf(place, effects, allowedSideEffects)
  check.fields(hook, at, TYPE, 'timeoutSeconds')
  for (const field of ['namespaceSelector', 'objectSelector'] as const) {
    checkLabelSelector(hook[field], at.child(field), check)
  }
  check.fields(hook, at, TYPE, 'reinvocationPolicy')
  checkClientConfig(hook.clientConfig, at.child('clientConfig'), check)
  if (!skipsConditions) checkMatchConditions(hook, at, check)
}

const MIN_SEGMENTS = 3

function checkHookName(name: string, at: FieldPath, check: Check): void {
  const faults = dns1123Subdomain(name)
  if (name === '') check.required(at)
  else if (faults.length > 0) check.invalid(at, name, faults.join(','))
  else if (name.split('.').length < MIN_SEGMENTS) {
    check.invalid(at, name, 'should be a domain with at least three segments separated by dots')
  }
}

/** Webhooks are not called for these resources, so that no webhook can lock out all users. */
const VIRTUAL: ReadonlyMap<string, readonly string[]> = new Map([
  ['authentication.k8s.io', ['selfsubjectreviews', 'tokenreviews']],
  [
    'authorization.k8s.io',
    ['localsubjectaccessreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'subjectaccessreviews'],
  ],
])

/** The virtual resources that a rule names. A wildcard does not name any. */
function virtualIn({ apiGroups, resources }: RuleWithOperations): readonly string[] {
  const [groups, names] = [apiGroups ?? [], resources ?? []]
  if (groups.includes('*') || names.includes('*')) return []
  const named = groups.flatMap((group) =>
    names.filter((name) => VIRTUAL.get(group)?.includes(name) === true).map((name) => `${name}.${group}`),
  )
  return [...new Set(named)]
}

function warnings(
  object: MutatingWebhookConfiguration,
  stored: MutatingWebhookConfiguration | undefined,
  context: WriteContext,
): readonly string[] {
  const ofName = CONFIGURATION.warnings(object, stored, context)
  if (!context.gates.has('ExcludeAdmissionWebhookVirtualResources')) return ofName
  const ofRules = (object.webhooks ?? []).flatMap(({ rules }, i) =>
    (rules ?? []).flatMap((rule, j) =>
      virtualIn(rule).map(
        (name) =>
          `webhooks[${i}].rules[${j}]: ${name} is excluded from admission webhooks; this rule will have no effect`,
      ),
    ),
  )
  return [...ofName, ...ofRules]
}

function configuration(ownDefaults: Fields<Hook>): Kind {
  const hook = within<Hook>({
    failurePolicy: absent('Fail'),
    ...SELECTION,
    timeoutSeconds: absent(10),
    ...ownDefaults,
    clientConfig: within({ service: within({ port: absent(443) }) }),
    rules: each(within(RULE)),
  })
  return typedKind<MutatingWebhookConfiguration>({
    validation: {
      create: (object, check) => {
        checkHooks(object, scopeOf(check, object.webhooks))
        checkStaticName(object, check)
      },
      update: (object, stored, check) => checkHooks(object, scopeOf(check, object.webhooks, stored.webhooks ?? [])),
    },
    defaults: within({ webhooks: each(hook) }),
    strategy: { ...CONFIGURATION, generation: { first: 1, on: ['webhooks'] }, warnings },
    columns: tableOf([
      NAME,
      integer('Webhooks', 'The number of configured webhooks.', ({ webhooks }) => webhooks?.length ?? 0),
      AGE,
    ]),
    olderVersions: { 'admissionregistration.k8s.io/v1beta1': 'same' },
  })
}

export const VALIDATING_WEBHOOK_CONFIGURATION: Kind = configuration({})
export const MUTATING_WEBHOOK_CONFIGURATION: Kind = configuration({ reinvocationPolicy: absent('Never') })
