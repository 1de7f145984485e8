// Groups of the community need somebody's word that they may be used; a condition tells whose (P-306).
import { mapOrEmpty, textOrEmpty } from '../api/members.ts'
import { annotationsOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { Condition } from './definition-conditions.ts'

const APPROVAL = 'api-approved.kubernetes.io'
const POLICY = 'see https://github.com/kubernetes/enhancements/pull/1111'

/** Undefined for all other groups. */
export function approvalOf(object: ApiObject): Condition | undefined {
  const group = textOrEmpty(mapOrEmpty(object, 'spec'), 'group')
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group)) return undefined
  const text = textOrEmpty(annotationsOf(object), APPROVAL)
  const type = 'KubernetesAPIApprovalPolicyConformant'
  const needed = `protected groups must have approval annotation "${APPROVAL}"`
  if (text === '') {
    return { type, status: false, reason: 'MissingAnnotation', message: `${needed}, ${POLICY}` }
  }
  if (text.startsWith('unapproved')) {
    return { type, status: false, reason: 'UnapprovedAnnotation', message: `not approved: ${JSON.stringify(text)}` }
  }
  if (!/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/]+/.test(text)) {
    const message = `${needed} with either a URL or a reason starting with "unapproved", ${POLICY}`
    return { type, status: false, reason: 'InvalidAnnotation', message }
  }
  return { type, status: true, reason: 'ApprovedAnnotation', message: `approved in ${text}` }
}
