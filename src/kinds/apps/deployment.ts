// Deployments: pods of one template, replaced a few at a time when the template changes.
import { FieldPath } from '../../api/field-path.ts'
import type { Deployment, DeploymentSpec, DeploymentStrategy } from '../../api/gen/kinds.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { absent, always, blank, where, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { withGatedFields } from '../shared/gated-field.ts'
import { amountIn, checkAtMostAll, checkIntOrPercent } from '../shared/int-or-percent.ts'
import { formOf, shownAs } from '../shared/internal-form.ts'
import { gatedPodFields } from '../shared/pod-spec/gated-fields.ts'
import { containerColumns, readyOfWanted, selectorColumn } from '../shared/pod-spec/template-columns.ts'
import { templateWarnings } from '../shared/pod-spec/template-warnings.ts'
import { checkWithin } from '../shared/pod-spec/workload-template.ts'
import { BY_LABEL_SELECTOR } from '../shared/scale.ts'
import { GENERATION_OF_SPEC } from '../shared/strategies.ts'
import { withNameWarnings } from '../shared/warnings.ts'
import { withLabelsOfTemplate } from './older-labels.ts'
import {
  checkAvailable,
  checkCollisions,
  checkSameSelector,
  checkSelectedTemplate,
  checkSelector,
  rollingUpdate,
  template,
} from './workload.ts'

const TYPE = 'apps_v1.DeploymentSpec'
const SPEC = FieldPath.root<DeploymentSpec>('spec')
const STATUS = FieldPath.root<Deployment['status']>('status')

function checkDeployment({ spec }: Deployment, check: Check): void {
  check.fields(spec, SPEC, TYPE, 'replicas')
  checkSelector(spec, 'deployment', check)
  checkSelectedTemplate(spec, check)
  checkDeploymentStrategy(spec.strategy, SPEC.child('strategy'), check)
  check.fields(spec, SPEC, TYPE, 'minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds')
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec
  if (deadline !== undefined && deadline <= minReadySeconds) {
    check.invalid(SPEC.child('progressDeadlineSeconds'), deadline, 'must be greater than minReadySeconds')
  }
}

function checkDeploymentStrategy(strategy: DeploymentStrategy, at: FieldPath<DeploymentStrategy>, check: Check): void {
  const { type, rollingUpdate: rolling } = strategy
  const place = at.child('rollingUpdate')
  if (type === 'Recreate') {
    if (rolling !== undefined) check.forbidden(place, "may not be specified when strategy `type` is 'Recreate'")
  } else if (type !== 'RollingUpdate') {
    check.notSupported(at, shownAs(strategy, formOf('apps_v1.DeploymentStrategy')), ['Recreate', 'RollingUpdate'])
  } else if (rolling === undefined) check.required(place, 'this should be defaulted and never be nil')
  else {
    const { maxUnavailable, maxSurge } = rolling
    checkIntOrPercent(maxUnavailable, place.child('maxUnavailable'), check)
    checkIntOrPercent(maxSurge, place.child('maxSurge'), check)
    if (amountIn(maxUnavailable) === 0 && amountIn(maxSurge) === 0) {
      check.invalid(place.child('maxUnavailable'), maxUnavailable, 'may not be 0 when `maxSurge` is 0')
    }
    checkAtMostAll(maxUnavailable, place.child('maxUnavailable'), check)
  }
}

export const DEPLOYMENT: Kind = typedKind<Deployment>({
  validation: builtInRules({
    object: checkDeployment,
    change: checkSameSelector,
    status: (object, stored, check) => {
      const { status } = object
      check.fields(status, STATUS, 'apps_v1.DeploymentStatus')
      checkWithin(status, ['updatedReplicas', 'readyReplicas', 'availableReplicas'], { at: STATUS, check })
      checkAvailable(status, 'readyReplicas', check)
      checkCollisions(object, stored, check)
    },
  }),
  defaults: within({
    spec: always({
      template,
      replicas: absent(1),
      strategy: always({
        type: blank('RollingUpdate'),
        rollingUpdate: where(rollingUpdate, always({ maxUnavailable: absent('25%'), maxSurge: absent('25%') })),
      }),
      revisionHistoryLimit: absent(10),
      progressDeadlineSeconds: absent(600),
    }),
  }),
  strategy: withGatedFields(gatedPodFields('spec/template/spec'), {
    generation: { ...GENERATION_OF_SPEC, onMetadata: ['annotations'] },
    status: { keepsMetadata: ['labels'], resetFields: ['spec', 'metadata.labels'] },
    bumpsGenerationOn: new Set(['scale']),
    warnings: withNameWarnings(templateWarnings('spec.template', ({ spec }) => spec.template)),
  }),
  columns: tableOf([
    NAME,
    column('Ready', 'The number of ready pods and the number of wanted pods.', readyOfWanted),
    column('Up-to-date', 'The number of pods of the newest template.', ({ status }) => status.updatedReplicas ?? 0),
    column(
      'Available',
      'The number of pods that have been ready for long enough.',
      ({ status }) => status.availableReplicas ?? 0,
    ),
    AGE,
    ...containerColumns<Deployment>(({ spec }) => spec.template),
    selectorColumn(({ spec }) => spec.selector),
  ]),
  scale: BY_LABEL_SELECTOR,
  olderVersions: {
    'apps/v1beta1': withLabelsOfTemplate,
    'apps/v1beta2': 'same',
    'extensions/v1beta1': withLabelsOfTemplate,
  },
})
