// Daemon sets: a pod on every selected node. The server counts the versions of the template in an annotation that clients cannot
// change (W-135).
import type { Shown } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import type { DaemonSet, DaemonSetUpdateStrategy } from '../../api/gen/kinds.ts'
import { withMeta } from '../../api/object-members.ts'
import { ApiError } from '../../api/status.ts'
import { own } from '../../api/value.ts'
import { AGE, column, integer, NAME, tableOf } from '../../codec/tables/column.ts'
import { labelText } from '../../codec/tables/reading.ts'
import { absent, always, blank, where, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import {
  checkLabelSelector,
  isEmptySelector,
  isUsable,
  selects,
  shownSelector,
} from '../../schema/validation/labels.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { withGatedFields } from '../shared/gated-field.ts'
import { amountIn, checkAtMostAll, checkIntOrPercent } from '../shared/int-or-percent.ts'
import { formOf, shownAs } from '../shared/internal-form.ts'
import { gatedPodFields } from '../shared/pod-spec/gated-fields.ts'
import { containerColumns, selectorColumn } from '../shared/pod-spec/template-columns.ts'
import { templateWarnings } from '../shared/pod-spec/template-warnings.ts'
import { checkLastingTemplate, tellMismatch } from '../shared/pod-spec/workload-template.ts'
import { semanticallyEqual } from '../shared/semantic-equality.ts'
import { WORKLOAD } from '../shared/strategies.ts'
import { withLabelsOfTemplate } from './older-labels.ts'
import { checkCollisions, checkSameSelector, rollingUpdate, SELECTOR, TEMPLATE, template } from './workload.ts'

const SPEC = FieldPath.root<DaemonSet['spec']>('spec')
const STATUS = FieldPath.root<DaemonSet['status']>('status')

function checkDaemonSet(object: DaemonSet, check: Check, stored?: DaemonSet): void {
  if (stored !== undefined) checkSameSelector(object, stored, check)
  const { spec } = object
  const { template } = spec
  const selector = spec.selector ?? undefined
  checkLabelSelector(selector, SELECTOR, check)
  const usable = selector === undefined || isUsable(selector)
  if (usable && !selects(selector, template.metadata.labels ?? {})) tellMismatch(template, TEMPLATE, check)
  if (selector !== undefined && isEmptySelector(selector)) {
    check.invalid(SELECTOR, shownSelector(selector), 'empty selector is invalid for daemonset')
  }
  checkLastingTemplate(template, { at: TEMPLATE, check, kind: 'DaemonSet' })
  check.fields(spec, SPEC, 'apps_v1.DaemonSetSpec', 'minReadySeconds')
  checkDaemonStrategy(spec.updateStrategy, SPEC.child('updateStrategy'), check)
  check.fields(spec, SPEC, 'apps_v1.DaemonSetSpec', 'revisionHistoryLimit')
}

function checkDaemonStrategy(
  strategy: DaemonSetUpdateStrategy,
  at: FieldPath<DaemonSetUpdateStrategy>,
  check: Check,
): void {
  const { type, rollingUpdate: rolling } = strategy
  if (type === 'OnDelete') return
  const place = at.child('rollingUpdate')
  if (type !== 'RollingUpdate') check.notSupported(at, shownStrategy(strategy), ['RollingUpdate', 'OnDelete'])
  else if (rolling === undefined) check.required(place)
  else {
    const fields = ['maxUnavailable', 'maxSurge'] as const
    for (const field of fields) checkIntOrPercent(rolling[field], place.child(field), check)
    for (const field of fields) checkAtMostAll(rolling[field], place.child(field), check)
    const [unavailable, surge] = fields.map((field) => amountIn(rolling[field]) !== 0)
    if (unavailable === true && surge === true) {
      check.invalid(place.child('maxSurge'), rolling.maxSurge, 'may not be set when maxUnavailable is non-zero')
    } else if (unavailable === false && surge === false) {
      check.required(place.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0')
    }
  }
}

/** The strategy as errors show it. In the reference, absent amounts are 0. */
function shownStrategy(strategy: DaemonSetUpdateStrategy): Shown {
  const { rollingUpdate: rolling } = strategy
  const shown = rolling === undefined ? {} : { rollingUpdate: { maxUnavailable: 0, maxSurge: 0, ...rolling } }
  return shownAs({ ...strategy, ...shown }, formOf('apps_v1.DaemonSetUpdateStrategy'))
}

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'

function templateGeneration({ metadata: { annotations = {} } }: DaemonSet): number {
  const text = own(annotations, TEMPLATE_GENERATION)
  if (text === undefined || text === '') return 0
  if (!/^[+-]?\d{1,15}$/.test(text)) {
    const problem = `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`
    throw new ApiError('BadRequest', `DaemonSet in version "v1" cannot be handled as a DaemonSet: ${problem}`)
  }
  return Number(text)
}

function withTemplateGeneration(set: DaemonSet, generation: number): DaemonSet {
  const annotations = { ...set.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) }
  return withMeta(set, { annotations })
}

export const DAEMON_SET: Kind = typedKind<DaemonSet>({
  validation: builtInRules({
    object: checkDaemonSet,
    status: (object, stored, check) => {
      check.fields(object.status, STATUS, 'apps_v1.DaemonSetStatus')
      checkCollisions(object, stored, check)
    },
  }),
  defaults: within({
    // The annotation is a default, so that the creator of the object owns it.
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
      const same = semanticallyEqual(object.spec.template, stored.spec.template)
      return withTemplateGeneration(object, same ? before : before + 1)
    },
    prepareStatus: (object, stored) => withTemplateGeneration(object, templateGeneration(stored)),
    warnings: templateWarnings('spec.template', ({ spec }) => spec.template),
  }),
  columns: tableOf([
    NAME,
    integer('Desired', 'The number of nodes that should run the pod.', ({ status }) => status.desiredNumberScheduled),
    integer('Current', 'The number of these nodes that run the pod.', ({ status }) => status.currentNumberScheduled),
    integer('Ready', 'The number of nodes on which the pod is ready.', ({ status }) => status.numberReady),
    integer(
      'Up-to-date',
      'The number of nodes on which the pod is of the newest template.',
      ({ status }) => status.updatedNumberScheduled ?? 0,
    ),
    integer(
      'Available',
      'The number of nodes on which the pod has been ready for long enough.',
      ({ status }) => status.numberAvailable ?? 0,
    ),
    column('Node Selector', 'The labels of the selected nodes.', (set) =>
      labelText(set.spec.template.spec.nodeSelector ?? {}),
    ),
    AGE,
    ...containerColumns<DaemonSet>(({ spec }) => spec.template),
    selectorColumn(({ spec }) => spec.selector),
  ]),
  olderVersions: { 'apps/v1beta2': 'same', 'extensions/v1beta1': withLabelsOfTemplate },
})
