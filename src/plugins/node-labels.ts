// The labels that a kubelet can set on its node.
import { labelsOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { own } from '../api/value.ts'

/** Reserved labels that a kubelet can set. */
const OWN_LABELS: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'node.kubernetes.io/windows-build',
])

/** The sorted keys of added, changed and removed labels. */
export function changedLabels(object: ApiObject, before: ApiObject | undefined): readonly string[] {
  const [now, then] = [labelsOf(object), before === undefined ? {} : labelsOf(before)]
  const keys = new Set([...Object.keys(now), ...Object.keys(then)])
  return [...keys].filter((key) => own(now, key) !== own(then, key)).sort()
}

export function isForbiddenLabel(key: string): boolean {
  const slash = key.indexOf('/')
  const prefix = slash === -1 ? '' : key.slice(0, slash)
  if (isWithin(prefix, 'node-restriction.kubernetes.io')) return true
  const isOfSystem = isWithin(prefix, 'kubernetes.io') || isWithin(prefix, 'k8s.io')
  const isOfAgent = isWithin(prefix, 'kubelet.kubernetes.io') || isWithin(prefix, 'node.kubernetes.io')
  return isOfSystem && !OWN_LABELS.has(key) && !isOfAgent
}

function isWithin(prefix: string, domain: string): boolean {
  return prefix === domain || prefix.endsWith(`.${domain}`)
}
