// Pod templates, alone or in workloads.
import type { FieldPath } from '../../../api/field-path.ts'
import { mapOrAbsent, mapOrEmpty, mapsInPlace } from '../../../api/members.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { checkAnnotations, checkLabels } from '../../../schema/validation/labels.ts'
import { checkPodAnnotations, checkProfilesAgree } from './pod-annotations.ts'
import { checkPodSpec } from './pod-spec.ts'

export function checkPodTemplate(template: ValueMap, at: FieldPath, check: Check): void {
  const spec = mapOrEmpty(template, 'spec')
  const annotations = mapOrEmpty(mapOrEmpty(template, 'metadata'), 'annotations')
  checkTemplateMeta(template, at, check)
  checkPodSpec(spec, at.child('spec'), { check, pod: undefined })
  checkProfilesAgree(annotations, spec, at.child('spec'), check)
  if (mapsInPlace(spec, 'ephemeralContainers').length > 0) {
    const detail = 'ephemeral containers not allowed in pod template'
    check.forbidden(at.child('spec').child('ephemeralContainers'), detail)
  }
}

export function checkTemplateMeta(template: ValueMap, at: FieldPath, check: Check): void {
  const meta = mapOrEmpty(template, 'metadata')
  const annotations = mapOrEmpty(meta, 'annotations')
  checkLabels(mapOrAbsent(meta, 'labels'), at.child('labels'), check)
  checkAnnotations(annotations, at.child('annotations'), check)
  checkPodAnnotations(annotations, mapOrEmpty(template, 'spec'), at.child('annotations'), check)
}
