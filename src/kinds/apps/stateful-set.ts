// Stateful sets: pods with an ordinal, each with volumes of its own.
import type { FieldPath } from '../../api/field-path.ts'
import {
  integerOrAbsent,
  isGiven,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  numberOrZero,
  textOrEmpty,
} from '../../api/members.ts'
import { metaText, specOf, statusOf } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { equalValues, type Value, type ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import type { Strategy } from '../../registry/registry.ts'
import { absent, always, blank, both, each, gated, type Rule, where, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { isUsable, shownSelector } from '../../schema/validation/labels.ts'
import { checkBuiltInMetaUpdate, labelName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { CLAIM_FIELDS } from '../shared/claim-fields.ts'
import { checkClaimSpec } from '../shared/claim-spec.ts'
import { gatedFields, withGatedFields } from '../shared/gated-field.ts'
import { amountIn, checkAtMostAll, checkIntOrPercent } from '../shared/int-or-percent.ts'
import { type Form, shownAs } from '../shared/internal-form.ts'
import { placedMaps } from '../shared/placed-items.ts'
import { gatedPodFields } from '../shared/pod-spec/gated-fields.ts'
import { checkPodTemplate, checkTemplateMeta } from '../shared/pod-spec/pod-template.ts'
import { containerColumns, readyOfWanted } from '../shared/pod-spec/template-columns.ts'
import { templateWarnings } from '../shared/pod-spec/template-warnings.ts'
import { checkWithin } from '../shared/pod-spec/workload-template.ts'
import { BY_LABEL_SELECTOR } from '../shared/scale.ts'
import { WORKLOAD } from '../shared/strategies.ts'
import { claimSpecWarnings } from '../shared/volume-warnings.ts'
import {
  checkAvailable,
  checkCollisions,
  checkSelected,
  checkSelector,
  rollingUpdate,
  SELECTOR,
  SPEC,
  STATUS,
  TEMPLATE,
  template,
  withLabelsOfTemplate,
} from './workload.ts'

const ROLLING_SET: Form = [
  ['partition', 'Partition', 0],
  ['maxUnavailable', 'MaxUnavailable', null],
]

const SET_STRATEGY: Form = [
  ['type', 'Type', ''],
  ['rollingUpdate', 'RollingUpdate', null, ROLLING_SET],
]

function checkStatefulSet(object: ValueMap, check: Check, stored?: ValueMap): void {
  const spec = specOf(object)
  const isNew = stored === undefined
  const management = textOrEmpty(spec, 'podManagementPolicy')
  const at = SPEC.child('podManagementPolicy')
  if (management === '') check.required(at)
  else if (management !== 'OrderedReady' && management !== 'Parallel') {
    check.invalid(at, management, "must be 'OrderedReady' or 'Parallel'")
  }
  checkStatefulStrategy(mapOrEmpty(spec, 'updateStrategy'), SPEC.child('updateStrategy'), check)
  const retention = mapOrAbsent(spec, 'persistentVolumeClaimRetentionPolicy')
  if (retention !== undefined) {
    const at = SPEC.child('persistentVolumeClaimRetentionPolicy')
    check.fields(retention, at, 'apps_v1.StatefulSetPersistentVolumeClaimRetentionPolicy')
  }
  if (isNew) {
    for (const [claim, place] of placedMaps(spec, 'volumeClaimTemplates', SPEC)) {
      checkClaimSpec(specOf(claim), place.child('spec'), check)
    }
  }
  check.fields(spec, SPEC, 'apps_v1.StatefulSetSpec', 'replicas', 'minReadySeconds')
  check.notNegative(SPEC.child('ordinals.start'), integerOrAbsent(mapOrEmpty(spec, 'ordinals'), 'start'))
  if (isNew) check.fields(spec, SPEC, 'apps_v1.StatefulSetSpec', 'serviceName')
  checkSelector(spec, 'statefulset', check)
  checkStatefulTemplate(spec, check)
}

function checkStatefulStrategy(strategy: ValueMap, at: FieldPath, check: Check): void {
  const type = textOrEmpty(strategy, 'type')
  const rolling = mapOrAbsent(strategy, 'rollingUpdate')
  const place = at.child('rollingUpdate')
  if (type === '') check.required(at)
  else if (type === 'OnDelete') {
    if (rolling === undefined) return
    check.invalid(place, shownAs(rolling, ROLLING_SET), "only allowed for updateStrategy 'RollingUpdate'")
  } else if (type !== 'RollingUpdate')
    check.invalid(at, shownAs(strategy, SET_STRATEGY), "must be 'RollingUpdate' or 'OnDelete'")
  else if (rolling !== undefined) {
    check.fields(rolling, place, 'apps_v1.RollingUpdateStatefulSetStrategy')
    if (!isGiven(rolling, 'maxUnavailable')) return
    const { maxUnavailable } = rolling
    checkIntOrPercent(maxUnavailable, place.child('maxUnavailable'), check)
    if (amountIn(maxUnavailable) === 0) check.invalid(place.child('maxUnavailable'), maxUnavailable, 'cannot be 0')
    checkAtMostAll(maxUnavailable, place.child('maxUnavailable'), check)
  }
}

/** The template as the pods get it: with a volume for each claim, and without hostname and subdomain. */
function templateOfPods(spec: ValueMap): ValueMap {
  const template = mapOrEmpty(spec, 'template')
  const { subdomain: _subdomain, hostname: _hostname, ...rest } = mapOrEmpty(template, 'spec')
  const names = new Set(mapsInPlace(spec, 'volumeClaimTemplates').map((claim) => metaText(claim, 'name')))
  if (names.size === 0) return { ...template, spec: rest }
  const claimed = [...names].map((name): Value => ({ name, persistentVolumeClaim: { claimName: name } }))
  const others = mapsInPlace(rest, 'volumes').filter((volume) => !names.has(textOrEmpty(volume, 'name')))
  return { ...template, spec: { ...rest, volumes: [...claimed, ...others] } }
}

function checkStatefulTemplate(spec: ValueMap, check: Check): void {
  const selector = mapOrAbsent(spec, 'selector')
  const template = templateOfPods(spec)
  if (selector !== undefined && !isUsable(selector)) check.invalid(SELECTOR, shownSelector(selector), '')
  else {
    checkSelected(spec, check)
    checkPodTemplate(template, TEMPLATE, check)
    // The reference checks these twice.
    checkTemplateMeta(template, TEMPLATE, check)
  }
  const inner = mapOrEmpty(template, 'spec')
  const policy = textOrEmpty(inner, 'restartPolicy')
  if (policy !== 'Always') check.notSupported(TEMPLATE.child('spec').child('restartPolicy'), policy, ['Always'])
  if (isGiven(inner, 'activeDeadlineSeconds')) {
    const detail = 'activeDeadlineSeconds in StatefulSet is not Supported'
    check.forbidden(TEMPLATE.child('spec').child('activeDeadlineSeconds'), detail)
  }
}

const CHANGEABLE: readonly string[] = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]

/** The fields that an update may not change. */
function immutablePart(spec: ValueMap): ValueMap {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !CHANGEABLE.includes(field)))
}

/** A strategy without a type is a rolling update, and has its settings. */
const chosenStrategy: Rule = (given, context, parent) => {
  const strategy = always({ type: blank('RollingUpdate') })(given, context, parent)
  return strategy === given ? given : always({ rollingUpdate: absent({}) })(strategy, context, parent)
}

const MAX_UNAVAILABLE = gatedFields('apps_v1.StatefulSet', 'spec/updateStrategy/rollingUpdate/maxUnavailable')

function historyWarnings(object: ApiObject): readonly string[] {
  if (numberOrZero(specOf(object), 'revisionHistoryLimit') >= 0) return []
  return ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
}

const statefulSetWarnings: Strategy['warnings'] = (object, stored, context) => [
  ...templateWarnings('spec.template')(object, stored, context),
  ...mapsInPlace(specOf(object), 'volumeClaimTemplates').flatMap((claim, i) =>
    // The reference names the member on updates only.
    claimSpecWarnings(specOf(claim), `spec.volumeClaimTemplates[${i}]${stored === undefined ? '' : '.Spec'}`),
  ),
  ...historyWarnings(object),
]

const STATUS_TYPE = 'apps_v1.StatefulSetStatus'

export const STATEFUL_SET: Kind = {
  validation: {
    ...builtInRules({
      name: labelName,
      object: checkStatefulSet,
      change: (object, stored, check) => {
        if (equalValues(immutablePart(specOf(object)), immutablePart(specOf(stored)))) return
        const names = CHANGEABLE.map((field) => `'${field}'`)
        const listed = `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`
        check.forbidden(SPEC, `updates to statefulset spec for fields other than ${listed} are forbidden`)
      },
    }),
    subresources: {
      status: (object, stored, check) => {
        const status = statusOf(object)
        const parts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas']
        check.fields(status, STATUS, STATUS_TYPE, 'replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas')
        check.fields(status, STATUS, STATUS_TYPE, 'availableReplicas', 'observedGeneration', 'collisionCount')
        checkWithin(status, parts, { at: STATUS, check })
        checkAvailable(status, 'status.readyReplicas', check)
        checkBuiltInMetaUpdate(object, stored, check)
        checkCollisions(object, stored, check)
      },
    },
  },
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
    column('Ready', 'How many pods are ready, of how many wanted.', readyOfWanted),
    AGE,
    ...containerColumns('spec', 'template'),
  ]),
  scale: BY_LABEL_SELECTOR,
  olderVersions: { 'apps/v1beta1': withLabelsOfTemplate, 'apps/v1beta2': 'same' },
}
