// Warnings about names, addresses, amounts and labels (W-058, W-426).
import type { ObjectMeta } from '../../api/gen/kinds.ts'
import { metaText } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { type MapOf, own, type Value } from '../../api/value.ts'
import { canonicalIp } from '../../lib/ip-bits.ts'
import { parseQuantity, scaledValue } from '../../lib/quantity.ts'
import type { Strategy } from '../../registry/registry.ts'
import { labelValue } from '../../schema/validation/validation.ts'

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const MAX_LABEL = 63

/** The name becomes a hostname, which should be a DNS label. */
export function nameWarnings(object: ApiObject, use: string): readonly string[] {
  const name = metaText(object, 'name')
  const faults = [
    ...(name.length > MAX_LABEL ? [`must be no more than ${MAX_LABEL} characters`] : []),
    ...(LABEL.test(name) ? [] : ['must not contain dots']),
  ]
  if (faults.length === 0) return []
  return [
    `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${faults.join(' ')}]`,
  ]
}

/** Warnings about IPv6 addresses that are not in canonical form. */
export function addressWarnings(path: string, value: Value | undefined, what: 'address' | 'CIDR value'): string[] {
  if (typeof value !== 'string' || !value.includes(':')) return []
  const [address = '', ...prefix] = value.split('/')
  const canonical = [canonicalIp(address), ...prefix].join('/')
  if (canonical === value) return []
  return [
    `${path}: IPv6 ${what} ${JSON.stringify(value)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
  ]
}

/** Warnings about fractions of bytes. */
export function fractionWarnings(path: string, amounts: MapOf<string>, name: string): readonly string[] {
  const text = own(amounts, name)
  if (text === undefined) return []
  const parsed = parseQuantity(text)
  if (!parsed.ok || parsed.quantity.scale >= 0 || scaledValue(parsed.quantity, -3) % 1000n === 0n) return []
  return [`${path}[${name}]: fractional byte value ${JSON.stringify(text)} is invalid, must be an integer`]
}

/** Warnings about deprecated annotations, by name. */
export function annotationWarnings(
  { annotations = {} }: ObjectMeta,
  path: string,
  table: Readonly<Record<string, string>>,
): readonly string[] {
  const deprecated = Object.keys(table).filter((key) => Object.hasOwn(annotations, key))
  return deprecated.map((key) => `${path}[${key}]: ${table[key]}`)
}

const NODE_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
}

/** The warning about a deprecated label of nodes. Undefined: the label is not deprecated. */
export function nodeLabelFault(label: string): string | undefined {
  return Object.hasOwn(NODE_LABELS, label) ? NODE_LABELS[label] : undefined
}

interface NodeTerm {
  readonly matchExpressions?: readonly { readonly key: string; readonly values?: readonly string[] }[]
}

export function nodeTermWarnings({ matchExpressions = [] }: NodeTerm, path: string): readonly string[] {
  return matchExpressions.flatMap(({ key }, i) => keyWarnings(key, `${path}.matchExpressions[${i}].key`))
}

/** Values of preferences are not validated, so there are warnings about them. */
export function preferenceWarnings({ matchExpressions = [] }: NodeTerm, path: string): readonly string[] {
  return matchExpressions.flatMap(({ key, values = [] }, i) => {
    const at = `${path}.matchExpressions[${i}]`
    const faults = values.flatMap((value, j) =>
      labelValue(value).map((fault) => `${at}.values[${j}]: ${value} is invalid, ${fault}`),
    )
    return [...keyWarnings(key, `${at}.key`), ...faults]
  })
}

/** The warnings about a label of nodes. */
export function keyWarnings(label: string, path: string): readonly string[] {
  const fault = nodeLabelFault(label)
  return fault === undefined ? [] : [`${path}: ${label} is ${fault}`]
}

/** The warnings of a kind, and on create a warning about a name that makes bad pod names. */
export function withNameWarnings<T extends ApiObject>(warnings: Strategy<T>['warnings']): Strategy<T>['warnings'] {
  return (object, stored, context) => [
    ...(stored === undefined ? nameWarnings(object, 'Pod names and hostnames') : []),
    ...warnings(object, stored, context),
  ]
}

export function nodeLabelWarnings(labels: MapOf<string>, pathOf: (label: string) => string): readonly string[] {
  const deprecated = Object.keys(labels).filter((label) => Object.hasOwn(NODE_LABELS, label))
  return deprecated.sort().map((label) => `${pathOf(label)}: ${NODE_LABELS[label]}`)
}
