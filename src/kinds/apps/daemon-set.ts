// Daemon sets: a pod on every selected node. The server counts the versions of the template in an annotation that clients cannot
// change (W-135).
import type { Shown } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import { mapOrAbsent, mapOrEmpty, textOrEmpty } from '../../api/members.ts'
import { annotationsOf, specOf, statusOf, withMeta } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import { own, type ValueMap } from '../../api/value.ts'
import { AGE, column, count, integer, NAME, tableOf } from '../../codec/tables/column.ts'
import { labelText, mapAt } from '../../codec/tables/reading.ts'
import { absent, always, blank, where, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import {
  checkLabelSelector,
  isEmptySelector,
  isUsable,
  selects,
  shownSelector,
} from '../../schema/validation/labels.ts'
import type { Kind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { withGatedFields } from '../shared/gated-field.ts'
import { amountIn, checkAtMostAll, checkIntOrPercent } from '../shared/int-or-percent.ts'
import { formOf, shownAs } from '../shared/internal-form.ts'
import { gatedPodFields } from '../shared/pod-spec/gated-fields.ts'
import { containerColumns, selectorColumn } from '../shared/pod-spec/template-columns.ts'
import { templateWarnings } from '../shared/pod-spec/template-warnings.ts'
import { checkLastingTemplate, labelsOf, tellMismatch } from '../shared/pod-spec/workload-template.ts'
import { semanticallyEqual } from '../shared/semantic-equality.ts'
import { WORKLOAD } from '../shared/strategies.ts'
import {
  checkCollisions,
  checkSameSelector,
  rollingUpdate,
  SELECTOR,
  SPEC,
  STATUS,
  TEMPLATE,
  template,
  withLabelsOfTemplate,
} from './workload.ts'

function checkDaemonSet(object: ValueMap, check: Check, stored?: ValueMap): void {
  if (stored !== undefined) checkSameSelector(object, stored, check)
  const spec = specOf(object)
  const selector = mapOrAbsent(spec, 'selector')
  checkLabelSelector(selector, SELECTOR, check)
  const template = mapOrEmpty(spec, 'template')
  const usable = selector === undefined || isUsable(selector)
  if (usable && !selects(selector, labelsOf(template) ?? {})) tellMismatch(template, TEMPLATE, check)
  if (selector !== undefined && isEmptySelector(selector)) {
    check.invalid(SELECTOR, shownSelector(selector), 'empty selector is invalid for daemonset')
  }
  checkLastingTemplate(template, { at: TEMPLATE, check, kind: 'DaemonSet' })
  check.fields(spec, SPEC, 'apps_v1.DaemonSetSpec', 'minReadySeconds')
  checkDaemonStrategy(mapOrEmpty(spec, 'updateStrategy'), SPEC.child('updateStrategy'), check)
  check.fields(spec, SPEC, 'apps_v1.DaemonSetSpec', 'revisionHistoryLimit')
}

function checkDaemonStrategy(strategy: ValueMap, at: FieldPath, check: Check): void {
  const type = textOrEmpty(strategy, 'type')
  if (type === 'OnDelete') return
  const rolling = mapOrAbsent(strategy, 'rollingUpdate')
  const place = at.child('rollingUpdate')
  if (type !== 'RollingUpdate') check.notSupported(at, shownStrategy(strategy), ['RollingUpdate', 'OnDelete'])
  else if (rolling === undefined) check.required(place)
  else {
    const fields = ['maxUnavailable', 'maxSurge']
    for (const field of fields) checkIntOrPercent(rolling[field], place.child(field), check)
    for (const field of fields) checkAtMostAll(rolling[field], place.child(field), check)
    const [unavailable, surge] = fields.map((field) => amountIn(rolling[field]) !== 0)
    if (unavailable === true && surge === true) {
      check.invalid(place.child('maxSurge'), rolling['maxSurge'], 'may not be set when maxUnavailable is non-zero')
    } else if (unavailable === false && surge === false) {
      check.required(place.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0')
    }
  }
}

/** The reference has numbers where these are absent. */
function shownStrategy(strategy: ValueMap): Shown {
  const rolling = mapOrAbsent(strategy, 'rollingUpdate')
  const shown = rolling === undefined ? {} : { rollingUpdate: { maxUnavailable: 0, maxSurge: 0, ...rolling } }
  return shownAs({ ...strategy, ...shown }, formOf('apps_v1.DaemonSetUpdateStrategy'))
}

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'

function templateGeneration(object: ApiObject): number {
  const text = textOrEmpty(annotationsOf(object), TEMPLATE_GENERATION)
  if (text === '') return 0
  if (!/^[+-]?\d{1,15}$/.test(text)) {
    const problem = `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`
    throw new ApiError('BadRequest', `DaemonSet in version "v1" cannot be handled as a DaemonSet: ${problem}`)
  }
  return Number(text)
}

function withTemplateGeneration(object: ApiObject, generation: number): ApiObject {
  return withMeta(object, { annotations: { ...annotationsOf(object), [TEMPLATE_GENERATION]: String(generation) } })
}

export const DAEMON_SET: Kind = {
  validation: builtInRules({
    object: checkDaemonSet,
    status: (object, stored, check) => {
      check.fields(statusOf(object), STATUS, 'apps_v1.DaemonSetStatus')
      checkCollisions(object, stored, check)
    },
  }),
  defaults: within({
    // Defaulted so that the annotation is owned by whoever creates the object.
    metadata: always({ annotations: always({ [TEMPLATE_GENERATION]: blank('0') }) }),
    spec: always({
      template,
      updateStrategy: always({
        type: blank('RollingUpdate'),
        rollingUpdate: where(rollingUpdate, always({ maxUnavailable: absent(1), maxSurge: absent(0) })),
      }),
      revisionHistoryLimit: absent(10),
    }),
  }),
  strategy: withGatedFields(gatedPodFields('spec/template/spec'), {
    ...WORKLOAD,
    prepareForCreate: (object) => withTemplateGeneration(object, Math.max(templateGeneration(object), 1)),
    prepareForUpdate: (object, stored) => {
      templateGeneration(object)
      const before = templateGeneration(stored)
      const same = semanticallyEqual(own(specOf(object), 'template'), own(specOf(stored), 'template'))
      return withTemplateGeneration(object, same ? before : before + 1)
    },
    prepareStatus: (object, stored) => withTemplateGeneration(object, templateGeneration(stored)),
    warnings: templateWarnings('spec.template'),
  }),
  columns: tableOf([
    NAME,
    integer('Desired', 'How many nodes should run its pod.', count('status', 'desiredNumberScheduled')),
    integer('Current', 'How many of them do.', count('status', 'currentNumberScheduled')),
    integer('Ready', 'On how many nodes the pod is ready.', count('status', 'numberReady')),
    integer(
      'Up-to-date',
      'On how many nodes the pod is of the newest template.',
      count('status', 'updatedNumberScheduled'),
    ),
    integer(
      'Available',
      'On how many nodes the pod has been ready for long enough.',
      count('status', 'numberAvailable'),
    ),
    column('Node Selector', 'Which nodes are meant.', (set) =>
      labelText(mapAt(set, 'spec', 'template', 'spec', 'nodeSelector')),
    ),
    AGE,
    ...containerColumns('spec', 'template'),
    selectorColumn('spec', 'selector'),
  ]),
  olderVersions: { 'apps/v1beta2': 'same', 'extensions/v1beta1': withLabelsOfTemplate },
}
