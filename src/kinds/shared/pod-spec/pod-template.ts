// Pod templates, alone or in workloads.
import type { PodTemplateSpec } from '../../../api/gen/kinds.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { checkAnnotations, checkLabels } from '../../../schema/validation/labels.ts'
import { checkPodAnnotations, checkProfilesAgree } from './pod-annotations.ts'
import { checkPodSpec } from './pod-spec.ts'

export function checkPodTemplate(template: PodTemplateSpec, at: FieldPath<PodTemplateSpec>, check: Check): void {
  const { spec, metadata } = template
  checkTemplateMeta(template, at, check)
  checkPodSpec(spec, at.child('spec'), { check, pod: undefined })
  checkProfilesAgree(metadata.annotations ?? {}, spec, at.child('spec'), check)
  if ((spec.ephemeralContainers ?? []).length > 0) {
    const detail = 'ephemeral containers not allowed in pod template'
    check.forbidden(at.child('spec').child('ephemeralContainers'), detail)
  }
}

export function checkTemplateMeta(template: PodTemplateSpec, at: FieldPath<PodTemplateSpec>, check: Check): void {
  const { labels, annotations = {} } = template.metadata
  checkLabels(labels, at.place('labels'), check)
  checkAnnotations(annotations, at.place('annotations'), check)
  checkPodAnnotations(annotations, template.spec, at.place('annotations'), check)
}
