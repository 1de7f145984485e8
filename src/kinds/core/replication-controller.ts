// Replication controllers, whose selector is a plain map.
import { FieldPath } from '../../api/field-path.ts'
import { equalValues, own, type ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { numberIn, numberOf, partIn, partOf } from '../../schema/validation/members.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import type { KindRules } from '../../schema/validation/rules.ts'
import { checkLastingTemplate, checkReplicas, labelsOf, tellMismatch } from '../shared/pod-spec/workload-template.ts'

const SPEC = FieldPath.root('spec')

export const replicationController: KindRules = {
  create: checkController,
  update: (object, stored, check) => {
    checkBuiltInMetaUpdate(object, stored, check)
    checkSpec(partOf(object, 'spec'), check)
    checkUnconvertible(object, stored, check)
  },
  subresources: {
    status: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      checkReplicas(partOf(object, 'status'), check)
    },
  },
}

function checkController(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  checkSpec(partOf(object, 'spec'), check)
}

const UNCONVERTIBLE = 'non-convertible.kubernetes.io/'

/** Annotations name what a stored controller could not express; such a selector stays. */
function checkUnconvertible(object: ValueMap, stored: ValueMap, check: Check): void {
  for (const [key, value] of Object.entries(partOf(partOf(stored, 'metadata'), 'annotations'))) {
    if (!key.startsWith(UNCONVERTIBLE)) continue
    const field = key.slice(UNCONVERTIBLE.length)
    if (!field.includes('selector')) {
      check.notFound(FieldPath.root(field), value, 'unknown non-convertible field')
      continue
    }
    const selector = partOf(partOf(object, 'spec'), 'selector')
    if (equalValues(selector, partOf(partOf(stored, 'spec'), 'selector'))) continue
    check.invalid(SPEC.child('selector'), selector, 'cannot update non-convertible selector')
  }
}

function checkSpec(spec: ValueMap, check: Check): void {
  check.notNegative(SPEC.child('minReadySeconds'), numberOf(spec, 'minReadySeconds'))
  const selector = partOf(spec, 'selector')
  const isEmpty = Object.keys(selector).length === 0
  if (isEmpty) check.required(SPEC.child('selector'))
  const replicas = numberIn(spec, 'replicas')
  if (replicas === undefined) check.required(SPEC.child('replicas'))
  else check.notNegative(SPEC.child('replicas'), replicas)
  const template = partIn(spec, 'template')
  const at = SPEC.child('template')
  if (template === undefined) {
    check.required(at)
    return
  }
  const labels = labelsOf(template) ?? {}
  const matches = Object.entries(selector).every(([key, value]) => own(labels, key) === value)
  if (!isEmpty && !matches) tellMismatch(template, at, check)
  checkLastingTemplate(template, { at, check, kind: 'ReplicationController' })
}
