// Stateful sets: pods with an ordinal, each with volumes of its own.
import { FieldPath } from '../../api/field-path.ts'
import type {
  PodTemplateSpec,
  StatefulSet,
  StatefulSetSpec,
  StatefulSetUpdateStrategy,
  Volume,
} from '../../api/gen/kinds.ts'
import { equalValues, type ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import type { Strategy } from '../../registry/registry.ts'
import { absent, always, blank, both, each, gated, type OwnRule, where, within } from '../../schema/defaults/rule.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { isUsable, shownSelector } from '../../schema/validation/labels.ts'
import { checkBuiltInMetaUpdate, labelName } from '../../schema/validation/object-meta.ts'
import type { KindRules, UpdateRule } from '../../schema/validation/rules.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { CLAIM_FIELDS } from '../shared/claim-fields.ts'
import { checkClaimSpec } from '../shared/claim-spec.ts'
import { gatedFields, withGatedFields } from '../shared/gated-field.ts'
import { amountIn, checkAtMostAll, checkIntOrPercent } from '../shared/int-or-percent.ts'
import { type Form, shownAs } from '../shared/internal-form.ts'
import { gatedPodFields } from '../shared/pod-spec/gated-fields.ts'
import { checkPodTemplate, checkTemplateMeta } from '../shared/pod-spec/pod-template.ts'
import { containerColumns, readyOfWanted } from '../shared/pod-spec/template-columns.ts'
import { templateWarnings } from '../shared/pod-spec/template-warnings.ts'
import { checkWithin } from '../shared/pod-spec/workload-template.ts'
import { BY_LABEL_SELECTOR } from '../shared/scale.ts'
import { WORKLOAD } from '../shared/strategies.ts'
import { claimSpecWarnings } from '../shared/volume-warnings.ts'
import { withLabelsOfTemplate } from './older-labels.ts'
import {
  checkAvailable,
  checkCollisions,
  checkSelected,
  checkSelector,
  rollingUpdate,
  SELECTOR,
  TEMPLATE,
  template,
} from './workload.ts'

const ROLLING_SET: Form = [
  ['partition', 'Partition', 0],
  ['maxUnavailable', 'MaxUnavailable', null],
]

const SET_STRATEGY: Form = [
  ['type', 'Type', ''],
  ['rollingUpdate', 'RollingUpdate', null, ROLLING_SET],
]

const RECREATE_GATE = 'StatefulSetRecreateStrategy'

const SPEC = FieldPath.root<StatefulSetSpec>('spec')
const STATUS = FieldPath.root<StatefulSet['status']>('status')

function checkStatefulSet({ spec }: StatefulSet, check: Check, stored?: StatefulSet): void {
  const isNew = stored === undefined
  const { podManagementPolicy: management, persistentVolumeClaimRetentionPolicy: retention } = spec
  const at = SPEC.child('podManagementPolicy')
  if (management === undefined) check.required(at)
  else if (management !== 'OrderedReady' && management !== 'Parallel') {
    check.invalid(at, management, "must be 'OrderedReady' or 'Parallel'")
  }
  const mayRecreate = check.gate(RECREATE_GATE) || stored?.spec.updateStrategy.type === 'Recreate'
  checkStatefulStrategy(spec.updateStrategy, check, mayRecreate)
  if (retention !== undefined) {
    const at = SPEC.child('persistentVolumeClaimRetentionPolicy')
    check.fields(retention, at, 'apps_v1.StatefulSetPersistentVolumeClaimRetentionPolicy')
  }
  if (isNew) {
    check.each(spec, 'volumeClaimTemplates', SPEC, (claim, at) => checkClaimSpec(claim.spec, at.child('spec'), check))
  }
  check.fields(spec, SPEC, 'apps_v1.StatefulSetSpec', 'replicas', 'minReadySeconds')
  check.notNegative(SPEC.child('ordinals').child('start'), spec.ordinals?.start)
  if (isNew) check.fields(spec, SPEC, 'apps_v1.StatefulSetSpec', 'serviceName')
  checkSelector(spec, 'statefulset', check)
  checkStatefulTemplate(spec, check)
}

function checkStatefulStrategy(strategy: StatefulSetUpdateStrategy, check: Check, mayRecreate: boolean): void {
  const at = SPEC.child('updateStrategy')
  const { type, rollingUpdate: rolling } = strategy
  const place = at.child('rollingUpdate')
  if (type === undefined) check.required(at)
  else if (type === 'OnDelete' || (type === 'Recreate' && mayRecreate)) {
    if (rolling === undefined) return
    check.invalid(place, shownAs(rolling, ROLLING_SET), "only allowed for updateStrategy 'RollingUpdate'")
  } else if (type !== 'RollingUpdate') {
    const allowed = mayRecreate ? "'RollingUpdate', 'OnDelete', or 'Recreate'" : "'RollingUpdate' or 'OnDelete'"
    check.invalid(at, shownAs(strategy, SET_STRATEGY), `must be ${allowed}`)
  } else if (rolling !== undefined) {
    check.fields(rolling, place, 'apps_v1.RollingUpdateStatefulSetStrategy')
    const { maxUnavailable } = rolling
    if (maxUnavailable === undefined) return
    checkIntOrPercent(maxUnavailable, place.child('maxUnavailable'), check)
    if (amountIn(maxUnavailable) === 0) check.invalid(place.child('maxUnavailable'), maxUnavailable, 'cannot be 0')
    checkAtMostAll(maxUnavailable, place.child('maxUnavailable'), check)
  }
}

/** The template as the pods get it: with a volume for each claim, and without hostname and subdomain. */
function templateOfPods({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  const { subdomain: _subdomain, hostname: _hostname, ...rest } = template.spec
  const names = new Set(volumeClaimTemplates.map(({ metadata: { name = '' } }) => name))
  if (names.size === 0) return { ...template, spec: rest }
  const claimed = [...names].map((name): Volume => ({ name, persistentVolumeClaim: { claimName: name } }))
  const others = (rest.volumes ?? []).filter(({ name }) => !names.has(name))
  return { ...template, spec: { ...rest, volumes: [...claimed, ...others] } }
}

function checkStatefulTemplate(spec: StatefulSetSpec, check: Check): void {
  const { selector } = spec
  const template = templateOfPods(spec)
  if (selector !== null && !isUsable(selector)) check.invalid(SELECTOR, shownSelector(selector), '')
  else {
    checkSelected(spec, check)
    checkPodTemplate(template, TEMPLATE, check)
    // The reference checks the metadata of the template twice.
    checkTemplateMeta(template, TEMPLATE, check)
  }
  const { restartPolicy: policy = '', activeDeadlineSeconds } = template.spec
  if (policy !== 'Always') check.notSupported(TEMPLATE.child('spec').child('restartPolicy'), policy, ['Always'])
  if (activeDeadlineSeconds !== undefined) {
    const detail = 'activeDeadlineSeconds in StatefulSet is not Supported'
    check.forbidden(TEMPLATE.child('spec').child('activeDeadlineSeconds'), detail)
  }
}

const CHANGEABLE: readonly (keyof StatefulSetSpec)[] = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]

/** The fields that an update may not change. */
function immutablePart({ spec }: StatefulSet): ValueMap {
  const changeable: readonly string[] = CHANGEABLE
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !changeable.includes(field)))
}

/** A strategy without a type becomes `RollingUpdate`, and gets the settings of a rolling update. */
const chosenStrategy: OwnRule<StatefulSetUpdateStrategy> = (given, context, parent) => {
  const strategy = always<StatefulSetUpdateStrategy>({ type: blank('RollingUpdate') })(given, context, parent)
  return strategy === given
    ? given
    : always<StatefulSetUpdateStrategy>({ rollingUpdate: absent({}) })(strategy, context, parent)
}

const MAX_UNAVAILABLE = gatedFields('apps_v1.StatefulSet', 'spec/updateStrategy/rollingUpdate/maxUnavailable')

function historyWarnings({ spec: { revisionHistoryLimit = 0 } }: StatefulSet): readonly string[] {
  if (revisionHistoryLimit >= 0) return []
  return ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
}

const statefulSetWarnings: Strategy<StatefulSet>['warnings'] = (object, stored, context) => [
  ...templateWarnings<StatefulSet>('spec.template', ({ spec }) => spec.template)(object, stored, context),
  ...(object.spec.volumeClaimTemplates ?? []).flatMap((claim, i) =>
    // The reference adds `.Spec` to the path on updates only.
    claimSpecWarnings(claim.spec, `spec.volumeClaimTemplates[${i}]${stored === undefined ? '' : '.Spec'}`),
  ),
  ...historyWarnings(object),
]

const STATUS_TYPE = 'apps_v1.StatefulSetStatus'

const checkUnchanged: UpdateRule<StatefulSet> = (object, stored, check) => {
  if (equalValues(immutablePart(object), immutablePart(stored))) return
  const names = CHANGEABLE.map((field) => `'${field}'`)
  const listed = `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`
  check.forbidden(SPEC, `updates to statefulset spec for fields other than ${listed} are forbidden`)
}

/** Reports each field that has changed and may not change. */
const checkEachUnchanged: UpdateRule<StatefulSet> = ({ spec: now }, { spec: before }, check) => {
  if (!equalValues(now.selector, before.selector)) {
    check.invalid(SELECTOR, now.selector === null ? null : shownSelector(now.selector), IMMUTABLE)
  }
  check.unchanged(SPEC.child('volumeClaimTemplates'), now.volumeClaimTemplates, before.volumeClaimTemplates)
  check.unchanged(SPEC.child('serviceName'), now.serviceName ?? '', before.serviceName ?? '')
  check.unchanged(SPEC.child('podManagementPolicy'), now.podManagementPolicy, before.podManagementPolicy)
}

function rulesWith(change: UpdateRule<StatefulSet>): KindRules<StatefulSet> {
  return {
    ...builtInRules({ name: labelName, object: checkStatefulSet, change }),
    subresources: {
      status: (object, stored, check) => {
        const { status } = object
        const parts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const
        check.fields(status, STATUS, STATUS_TYPE, 'replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas')
        check.fields(status, STATUS, STATUS_TYPE, 'availableReplicas', 'observedGeneration', 'collisionCount')
        checkWithin(status, parts, { at: STATUS, check })
        checkAvailable(status, 'status.readyReplicas', check)
        checkBuiltInMetaUpdate(object, stored, check)
        checkCollisions(object, stored, check)
      },
    },
  }
}

export const STATEFUL_SET: Kind = typedKind<StatefulSet>({
  validation: rulesWith(checkUnchanged),
  since: { '1.37': { validation: rulesWith(checkEachUnchanged), fills: ['maxUnavailable'] } },
  defaults: within({
    spec: always({
      template,
      podManagementPolicy: blank('OrderedReady'),
      updateStrategy: both(
        chosenStrategy,
        within({
          rollingUpdate: where(
            rollingUpdate,
            within({ partition: absent(0), maxUnavailable: gated('MaxUnavailableStatefulSet', absent(1)) }),
          ),
        }),
      ),
      persistentVolumeClaimRetentionPolicy: always({ whenDeleted: blank('Retain'), whenScaled: blank('Retain') }),
      replicas: absent(1),
      revisionHistoryLimit: absent(10),
      volumeClaimTemplates: each(
        within({ apiVersion: () => 'v1', kind: () => 'PersistentVolumeClaim', ...CLAIM_FIELDS }),
      ),
    }),
  }),
  strategy: withGatedFields([...gatedPodFields('spec/template/spec'), ...MAX_UNAVAILABLE], {
    ...WORKLOAD,
    bumpsGenerationOn: new Set(['scale']),
    warnings: statefulSetWarnings,
  }),
  columns: tableOf([
    NAME,
    column('Ready', 'The number of ready pods and the number of wanted pods.', readyOfWanted),
    AGE,
    ...containerColumns<StatefulSet>(({ spec }) => spec.template),
  ]),
  scale: BY_LABEL_SELECTOR,
  olderVersions: { 'apps/v1beta1': withLabelsOfTemplate, 'apps/v1beta2': 'same' },
})
