// Validation of jobs.
import { shownMap } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import {
  integerOrAbsent,
  isGiven,
  isTrue,
  mapOrAbsent,
  mapOrEmpty,
  textOrAbsent,
  textOrEmpty,
} from '../../../api/members.ts'
import { metaOf, specOf } from '../../../api/object-members.ts'
import { equalValues, type ValueMap } from '../../../api/value.ts'
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
import { labelsOf, tellMismatch } from '../../shared/pod-spec/workload-template.ts'
import { checkFailurePolicy, checkSuccessPolicy } from './policies.ts'
import { checkJobStatus } from './status.ts'
import { checkTemplateChange } from './template-change.ts'

const SPEC = FieldPath.root('spec')
const MAX_MANAGED_BY = 63
const MAX_INDEXED_PARALLELISM = 100_000
const MAX_FAILED_INDEXES = 100_000
const MANY_COMPLETIONS = 100_000
const MAX_PARALLELISM_OF_MANY = 10_000
const MAX_FAILED_OF_MANY = 10_000

const TYPE = 'batch_v1.JobSpec'

export const VALIDATION: KindRules = {
  create: checkJob,
  update: (object, stored, check) => {
    checkJob(object, check)
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

function checkJob(object: ValueMap, check: Check): void {
  checkBuiltInMeta(withOwnLabels(object), subdomainName, check)
  checkGenerated(object, check)
  checkWithSelector(specOf(object), check)
  checkHostnames(object, check)
}

const GENERATED: readonly (readonly [string, string])[] = [
  ['controller-uid', 'uid'],
  ['job-name', 'name'],
  ['batch.kubernetes.io/controller-uid', 'uid'],
  ['batch.kubernetes.io/job-name', 'name'],
]

/** Generated labels that the job has from its template are validated in the template only. */
function withOwnLabels(object: ValueMap): ValueMap {
  const meta = metaOf(object)
  const labels = mapOrAbsent(meta, 'labels')
  if (labels === undefined || !equalValues(labels, labelsOf(mapOrEmpty(specOf(object), 'template')))) return object
  const given = Object.entries(labels).filter(([name]) => !GENERATED.some(([label]) => label === name))
  return { ...object, metadata: { ...meta, labels: Object.fromEntries(given) } }
}

/** Generated labels and selector are unchanged. */
function checkGenerated(object: ValueMap, check: Check): void {
  const spec = specOf(object)
  const selector = mapOrAbsent(spec, 'selector')
  if (isTrue(spec, 'manualSelector') || selector === undefined) return
  const meta = mapOrEmpty(object, 'metadata')
  if (textOrEmpty(meta, 'uid') === '') check.required(METADATA.child('uid'))
  const labels = labelsOf(mapOrEmpty(spec, 'template')) ?? {}
  const at = SPEC.child('template').child('metadata').child('labels')
  for (const [label, source] of GENERATED) {
    const wanted = textOrEmpty(meta, source)
    const value = textOrAbsent(labels, label)
    if (value === undefined) check.required(at.key(label), `must be '${wanted}'`)
    else if (value !== wanted) check.invalid(at.key(label), shownMap(labels), `must be '${wanted}'`)
  }
  const expected = Object.fromEntries(GENERATED.map(([label, source]) => [label, textOrEmpty(meta, source)]))
  if (isUsable(selector) && !selects(selector, expected)) {
    check.invalid(SPEC.child('selector'), shownSelector(selector), '`selector` not auto-generated')
  }
}

/** Pods of an indexed job are named after it and their index. */
function checkHostnames(object: ValueMap, check: Check): void {
  const spec = specOf(object)
  const completions = integerOrAbsent(spec, 'completions')
  if (textOrAbsent(spec, 'completionMode') !== 'Indexed' || completions === undefined || completions <= 0) return
  const name = textOrEmpty(mapOrEmpty(object, 'metadata'), 'name')
  const last = `${name}-${Number(completions) - 1}`
  if (dns1123Label(last).length === 0) return
  check.invalid(METADATA.child('name'), name, `will not able to create pod with invalid DNS label: ${last}`)
}

function checkWithSelector(spec: ValueMap, check: Check): void {
  checkJobSpec(spec, SPEC, check)
  const selector = mapOrAbsent(spec, 'selector')
  check.fields(spec, SPEC, TYPE, 'selector')
  checkLabelSelector(selector, SPEC.child('selector'), check)
  const template = mapOrEmpty(spec, 'template')
  const usable = selector === undefined || isUsable(selector)
  if (usable && !selects(selector, labelsOf(template) ?? {})) tellMismatch(template, SPEC.child('template'), check)
}

/** The spec of a job, alone or in a template of jobs. */
export function checkJobSpec(spec: ValueMap, at: FieldPath, check: Check): void {
  check.fields(spec, at, TYPE, 'parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit')
  check.fields(spec, at, TYPE, 'ttlSecondsAfterFinished', 'backoffLimitPerIndex', 'maxFailedIndexes')
  if (isGiven(spec, 'maxFailedIndexes') && !isGiven(spec, 'backoffLimitPerIndex')) {
    check.required(at.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified')
  }
  const manager = textOrAbsent(spec, 'managedBy')
  if (manager !== undefined) {
    checkDomainPath(manager, at.child('managedBy'), check)
    if (longerThan(manager, MAX_MANAGED_BY)) check.tooLong(at.child('managedBy'), MAX_MANAGED_BY)
  }
  check.fields(spec, at, TYPE, 'completionMode')
  const mode = textOrAbsent(spec, 'completionMode')
  if (mode === 'Indexed') checkIndexed(spec, at, check)
  if (mode === undefined || mode === 'NonIndexed') {
    for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes']) {
      const value = integerOrAbsent(spec, field)
      if (value !== undefined) check.invalid(at.child(field), value, 'requires indexed completion mode')
    }
  }
  if (isGiven(spec, 'podFailurePolicy')) checkFailurePolicy(spec, at.child('podFailurePolicy'), check)
  if (isGiven(spec, 'successPolicy')) {
    if (mode === 'Indexed') checkSuccessPolicy(spec, at.child('successPolicy'), check)
    else {
      const shown = shownAs(spec['successPolicy'], formOf('batch_v1.SuccessPolicy'))
      check.invalid(at.child('successPolicy'), shown, 'requires indexed completion mode')
    }
  }
  checkReplacement(spec, at.child('podReplacementPolicy'), check)
  checkPodTemplate(mapOrEmpty(spec, 'template'), at.child('template'), check)
  checkRestart(spec, at.child('template').child('spec').child('restartPolicy'), check)
}

function checkIndexed(spec: ValueMap, at: FieldPath, check: Check): void {
  const completions = integerOrAbsent(spec, 'completions')
  const parallelism = integerOrAbsent(spec, 'parallelism') ?? 0
  const failed = integerOrAbsent(spec, 'maxFailedIndexes')
  const checkMost = (field: string, value: number | bigint | undefined, most: number, when = ''): void => {
    if (value !== undefined && value > most)
      check.invalid(at.child(field), value, `must be less than or equal to ${most}${when}`)
  }
  if (completions === undefined) check.required(at.child('completions'), 'when completion mode is Indexed')
  checkMost('parallelism', parallelism, MAX_INDEXED_PARALLELISM, ' when completion mode is Indexed')
  if (completions !== undefined && failed !== undefined && failed > completions) {
    check.invalid(at.child('maxFailedIndexes'), failed, 'must be less than or equal to completions')
  }
  checkMost('maxFailedIndexes', failed, MAX_FAILED_INDEXES)
  if (completions === undefined || completions <= MANY_COMPLETIONS || !isGiven(spec, 'backoffLimitPerIndex')) return
  const many = ` when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`
  if (!isGiven(spec, 'maxFailedIndexes')) {
    const detail = `must be specified when completions is above ${MANY_COMPLETIONS}`
    check.required(at.child('maxFailedIndexes'), detail)
  }
  checkMost('parallelism', parallelism, MAX_PARALLELISM_OF_MANY, many)
  checkMost('maxFailedIndexes', failed, MAX_FAILED_OF_MANY, many)
}

function checkReplacement(spec: ValueMap, at: FieldPath, check: Check): void {
  const policy = textOrAbsent(spec, 'podReplacementPolicy')
  if (policy === undefined) return
  check.oneOf(at, policy, isGiven(spec, 'podFailurePolicy') ? ['Failed'] : ['Failed', 'TerminatingOrFailed'])
}

function checkRestart(spec: ValueMap, at: FieldPath, check: Check): void {
  const policy = textOrEmpty(mapOrEmpty(mapOrEmpty(spec, 'template'), 'spec'), 'restartPolicy')
  if (policy === 'Always' || policy === '') check.required(at, 'valid values: "OnFailure", "Never"')
  else if (policy !== 'OnFailure' && policy !== 'Never') check.notSupported(at, policy, ['OnFailure', 'Never'])
  else if (policy !== 'Never' && isGiven(spec, 'podFailurePolicy')) {
    check.invalid(at, policy, 'only "Never" is supported when podFailurePolicy is specified')
  }
}

const FROZEN: readonly (readonly [field: string, type?: string])[] = [
  ['completionMode'],
  ['podFailurePolicy', 'batch_v1.PodFailurePolicy'],
  ['backoffLimitPerIndex'],
  ['managedBy'],
  ['successPolicy', 'batch_v1.SuccessPolicy'],
]

function checkSpecChange(object: ValueMap, stored: ValueMap, check: Check): void {
  const spec = specOf(object)
  const old = specOf(stored)
  checkWithSelector(spec, check)
  checkCompletionsChange(spec, old, check)
  const selector = mapOrAbsent(spec, 'selector')
  if (!equalValues(selector, mapOrAbsent(old, 'selector'))) {
    check.invalid(SPEC.child('selector'), shownSelector(selector), IMMUTABLE)
  }
  checkTemplateChange(object, stored, check)
  for (const [field, type] of FROZEN) {
    if (equalValues(spec[field], old[field])) continue
    check.invalid(SPEC.child(field), type === undefined ? spec[field] : shownAs(spec[field], formOf(type)), IMMUTABLE)
  }
}

/** Only indexed jobs can be scaled, together with their parallelism. */
function checkCompletionsChange(spec: ValueMap, old: ValueMap, check: Check): void {
  const at = SPEC.child('completions')
  const completions = integerOrAbsent(spec, 'completions')
  if (equalValues(completions, integerOrAbsent(old, 'completions'))) return
  if (textOrAbsent(spec, 'completionMode') !== 'Indexed') check.invalid(at, completions, IMMUTABLE)
  else if (completions !== undefined && Number(completions) !== Number(integerOrAbsent(spec, 'parallelism') ?? 0)) {
    check.invalid(at, completions, 'can only be modified in tandem with spec.parallelism')
  }
}
