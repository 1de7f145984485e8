// Validation of jobs.
import { shownMap } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import type { Job, JobSpec } from '../../../api/gen/kinds.ts'
import { withMeta } from '../../../api/object-members.ts'
import { entriesOf, equalValues, own } from '../../../api/value.ts'
import { type Check, IMMUTABLE } from '../../../schema/validation/check.ts'
import { dns1123Label, longerThan } from '../../../schema/validation/formats.ts'
import { checkLabelSelector, isUsable, selects, shownSelector } from '../../../schema/validation/labels.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  METADATA,
  subdomainName,
} from '../../../schema/validation/object-meta.ts'
import type { KindRules } from '../../../schema/validation/rules.ts'
import { checkDomainPath } from '../../shared/domain-path.ts'
import { formOf, shownAs } from '../../shared/internal-form.ts'
import { checkPodTemplate } from '../../shared/pod-spec/pod-template.ts'
import { tellMismatch } from '../../shared/pod-spec/workload-template.ts'
import { checkScheduling } from './scheduling.ts'
import { checkFailurePolicy, checkSuccessPolicy } from './policies.ts'
import { checkJobStatus } from './status.ts'
import { checkTemplateChange } from './template-change.ts'

const SPEC = FieldPath.root<JobSpec>('spec')
const MAX_MANAGED_BY = 63
const MAX_INDEXED_PARALLELISM = 100_000
const MAX_FAILED_INDEXES = 100_000
const MANY_COMPLETIONS = 100_000
const MAX_PARALLELISM_OF_MANY = 10_000
const MAX_FAILED_OF_MANY = 10_000

const TYPE = 'batch_v1.JobSpec'

type JobRule = (object: Job, check: Check) => void

/** `checkLabels` checks the generated labels and selector of a job that changes. */
export function rulesWith(checkLabels: JobRule): KindRules<Job> {
  return {
    create: (object, check) => checkJob(object, checkGenerated, check),
    update: (object, stored, check) => {
      checkJob(object, checkLabels, check, stored)
      checkBuiltInMetaUpdate(object, stored, check)
      checkSpecChange(object, stored, check)
    },
    subresources: {
      status: (object, stored, check) => {
        checkBuiltInMetaUpdate(object, stored, check)
        checkJobStatus(object, stored, check)
      },
    },
  }
}

function checkJob(object: Job, checkLabels: JobRule, check: Check, stored?: Job): void {
  checkBuiltInMeta(withOwnLabels(object), subdomainName, check)
  checkLabels(object, check)
  checkWithSelector(object.spec, check, stored?.spec)
  checkHostnames(object, check)
}

const GENERATED: readonly (readonly [string, 'uid' | 'name'])[] = [
  ['controller-uid', 'uid'],
  ['job-name', 'name'],
  ['batch.kubernetes.io/controller-uid', 'uid'],
  ['batch.kubernetes.io/job-name', 'name'],
]

/** Generated labels that the job has from its template are validated in the template only. */
function withOwnLabels(object: Job): Job {
  const { labels } = object.metadata
  if (labels === undefined || !equalValues(labels, object.spec.template.metadata.labels)) return object
  const given = entriesOf(labels).filter(([name]) => !GENERATED.some(([label]) => label === name))
  return withMeta(object, { labels: Object.fromEntries(given) })
}

/** Checks that the generated labels and selector are unchanged. */
export function checkGenerated({ metadata, spec }: Job, check: Check): void {
  const { selector, manualSelector, template } = spec
  if (manualSelector === true || selector === undefined) return
  if (metadata.uid === undefined) check.required(METADATA.child('uid'))
  const { labels = {} } = template.metadata
  const at = SPEC.child('template').child('metadata').child('labels')
  for (const [label, source] of GENERATED) {
    const wanted = metadata[source] ?? ''
    const value = own(labels, label)
    if (value === undefined) check.required(at.key(label), `must be '${wanted}'`)
    else if (value !== wanted) check.invalid(at.key(label), shownMap(labels), `must be '${wanted}'`)
  }
  const expected = Object.fromEntries(GENERATED.map(([label, source]) => [label, metadata[source] ?? '']))
  if (isUsable(selector) && !selects(selector, expected)) {
    check.invalid(SPEC.child('selector'), shownSelector(selector), '`selector` not auto-generated')
  }
}

/** Pods of an indexed job are named after the job and their index. */
function checkHostnames(
  { metadata: { name = '' }, spec: { completions = 0, completionMode } }: Job,
  check: Check,
): void {
  if (completionMode !== 'Indexed' || completions <= 0) return
  const last = `${name}-${completions - 1}`
  if (dns1123Label(last).length === 0) return
  check.invalid(METADATA.child('name'), name, `will not able to create pod with invalid DNS label: ${last}`)
}

function checkWithSelector(spec: JobSpec, check: Check, stored: JobSpec | undefined): void {
  checkJobSpec(spec, SPEC, check, stored)
  const { selector, template } = spec
  check.fields(spec, SPEC, TYPE, 'selector')
  checkLabelSelector(selector, SPEC.child('selector'), check)
  const usable = selector === undefined || isUsable(selector)
  if (usable && !selects(selector, template.metadata.labels ?? {}))
    tellMismatch(template, SPEC.child('template'), check)
}

/** Checks the spec of a job, or of the template in a cron job. */
export function checkJobSpec(spec: JobSpec, at: FieldPath<JobSpec>, check: Check, stored?: JobSpec): void {
  const { managedBy: manager, completionMode: mode, successPolicy } = spec
  check.fields(spec, at, TYPE, 'parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit')
  check.fields(spec, at, TYPE, 'ttlSecondsAfterFinished', 'backoffLimitPerIndex', 'maxFailedIndexes')
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    check.required(at.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified')
  }
  if (manager !== undefined) {
    checkDomainPath(manager, at.child('managedBy'), check)
    if (longerThan(manager, MAX_MANAGED_BY)) check.tooLong(at.child('managedBy'), MAX_MANAGED_BY)
  }
  check.fields(spec, at, TYPE, 'completionMode')
  if (mode === 'Indexed') checkIndexed(spec, at, check)
  if (mode === undefined || mode === 'NonIndexed') {
    for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
      const value = spec[field]
      if (value !== undefined) check.invalid(at.child(field), value, 'requires indexed completion mode')
    }
  }
  check.part(spec, 'podFailurePolicy', at, (policy, place) => checkFailurePolicy(policy, spec, place, check))
  if (mode === 'Indexed') {
    check.part(spec, 'successPolicy', at, (policy, place) => checkSuccessPolicy(policy, spec, place, check))
  } else if (successPolicy !== undefined) {
    const shown = shownAs(successPolicy, formOf('batch_v1.SuccessPolicy'))
    check.invalid(at.child('successPolicy'), shown, 'requires indexed completion mode')
  }
  checkReplacement(spec, at.child('podReplacementPolicy'), check)
  checkScheduling(spec, stored, at, check)
  checkPodTemplate(spec.template, at.child('template'), check)
  checkRestart(spec, at.child('template').child('spec').child('restartPolicy'), check)
}

function checkIndexed(spec: JobSpec, at: FieldPath<JobSpec>, check: Check): void {
  const { completions, parallelism = 0, maxFailedIndexes: failed, backoffLimitPerIndex } = spec
  const checkMost = (field: keyof JobSpec, value: number | undefined, most: number, when = ''): void => {
    if (value !== undefined && value > most)
      check.invalid(at.child(field), value, `must be less than or equal to ${most}${when}`)
  }
  if (completions === undefined) check.required(at.child('completions'), 'when completion mode is Indexed')
  checkMost('parallelism', parallelism, MAX_INDEXED_PARALLELISM, ' when completion mode is Indexed')
  if (completions !== undefined && failed !== undefined && failed > completions) {
    check.invalid(at.child('maxFailedIndexes'), failed, 'must be less than or equal to completions')
  }
  checkMost('maxFailedIndexes', failed, MAX_FAILED_INDEXES)
  if (completions === undefined || completions <= MANY_COMPLETIONS || backoffLimitPerIndex === undefined) return
  const many = ` when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`
  if (failed === undefined) {
    const detail = `must be specified when completions is above ${MANY_COMPLETIONS}`
    check.required(at.child('maxFailedIndexes'), detail)
  }
  checkMost('parallelism', parallelism, MAX_PARALLELISM_OF_MANY, many)
  checkMost('maxFailedIndexes', failed, MAX_FAILED_OF_MANY, many)
}

function checkReplacement(spec: JobSpec, at: FieldPath, check: Check): void {
  const { podReplacementPolicy: policy, podFailurePolicy } = spec
  if (policy === undefined) return
  check.oneOf(at, policy, podFailurePolicy !== undefined ? ['Failed'] : ['Failed', 'TerminatingOrFailed'])
}

function checkRestart({ template, podFailurePolicy }: JobSpec, at: FieldPath, check: Check): void {
  const { restartPolicy: policy = '' } = template.spec
  if (policy === 'Always' || policy === '') check.required(at, 'valid values: "OnFailure", "Never"')
  else if (policy !== 'OnFailure' && policy !== 'Never') check.notSupported(at, policy, ['OnFailure', 'Never'])
  else if (policy !== 'Never' && podFailurePolicy !== undefined) {
    check.invalid(at, policy, 'only "Never" is supported when podFailurePolicy is specified')
  }
}

const FROZEN: readonly (readonly [field: keyof JobSpec, type?: string])[] = [
  ['completionMode'],
  ['podFailurePolicy', 'batch_v1.PodFailurePolicy'],
  ['backoffLimitPerIndex'],
  ['managedBy'],
  ['successPolicy', 'batch_v1.SuccessPolicy'],
]

function checkSpecChange(object: Job, stored: Job, check: Check): void {
  const [spec, old] = [object.spec, stored.spec]
  checkWithSelector(spec, check, old)
  checkCompletionsChange(spec, old, check)
  if (!equalValues(spec.selector, old.selector)) {
    check.invalid(SPEC.child('selector'), shownSelector(spec.selector), IMMUTABLE)
  }
  checkTemplateChange(object, stored, check)
  for (const [field, type] of FROZEN) {
    if (equalValues(spec[field], old[field])) continue
    check.invalid(SPEC.child(field), type === undefined ? spec[field] : shownAs(spec[field], formOf(type)), IMMUTABLE)
  }
}

/** Only indexed jobs can change their completions, and only together with their parallelism. */
function checkCompletionsChange(spec: JobSpec, old: JobSpec, check: Check): void {
  const at = SPEC.child('completions')
  const { completions, completionMode, parallelism = 0 } = spec
  if (completions === old.completions) return
  if (completionMode !== 'Indexed') check.invalid(at, completions, IMMUTABLE)
  else if (completions !== undefined && completions !== parallelism) {
    check.invalid(at, completions, 'can only be modified in tandem with spec.parallelism')
  }
}
