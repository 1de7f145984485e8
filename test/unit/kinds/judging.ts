// What the tables of validation share: a valid object, a change to it, and what the server says of the result.
import { expect } from 'vitest'
import type { FieldError } from '../../../src/api/field-error.ts'
import { type ApiLevel, DEFAULT_LEVEL } from '../../../src/api/level.ts'
import { mapOrEmpty } from '../../../src/api/members.ts'
import type { ApiObject, GroupVersionKind } from '../../../src/api/object.ts'
import { isMap, type Value, type ValueMap } from '../../../src/api/value.ts'
import { applyDefaults } from '../../../src/schema/defaults/defaults.ts'
import {
  FAULT_FORMS,
  validateCreate,
  validateSubresource,
  validateUpdate,
} from '../../../src/schema/validation/validation.ts'
import { canonicalOf, defaultsOf, rulesOf } from '../../corpora/kind-of.ts'
import { ENABLED_GATES } from '../schema/gates.ts'
import { CLUSTER_KINDS, VALID } from './valid-objects.ts'

export const NOT_NEGATIVE = 'must be greater than or equal to 0'
export const IMMUTABLE = 'field is immutable'
export const LABEL = 'a lowercase RFC 1123 label must consist of…'
export const QUALIFIED = 'name part must consist of alphanumeric characters…'
export const SUBDOMAIN = 'a lowercase RFC 1123 subdomain must consist of…'
export const RBAC = 'rbac.authorization.k8s.io/v1'

/** Values by path: `spec/containers/0/name`, with `~1` for a slash in a name. `undefined` takes the member away. */
export type Tweak = Readonly<Record<string, Value | undefined>>

export interface Row {
  /** `apps/v1 Deployment` */
  readonly of: string
  readonly case: string
  readonly set?: Tweak
  /** What an update changes beyond `set`; absent where the object is new. */
  readonly change?: Tweak
  /** The subresource that the update goes through. */
  readonly via?: string
  /** `field: message`, each; a message that ends in `…` goes on. */
  readonly told: readonly string[]
  readonly gates?: readonly string[]
  /** Absent: the default level. */
  readonly level?: ApiLevel
}

/** Rows of one kind: new objects, changed ones, and ones changed through their status. */
export const rows = (of: string, ...list: readonly (readonly [string, Tweak, ...string[]])[]): readonly Row[] =>
  list.map(([name, set, ...told]) => ({ of, case: name, set, told }))
export const changes = (
  of: string,
  ...list: readonly (readonly [string, Tweak, Tweak, ...string[]])[]
): readonly Row[] => list.map(([name, set, change, ...told]) => ({ of, case: name, set, change, told }))
export const statuses = (
  of: string,
  ...list: readonly (readonly [string, Tweak, Tweak, ...string[]])[]
): readonly Row[] => changes(of, ...list).map((row) => ({ ...row, via: 'status' }))

const REASONS: Readonly<Record<string, FieldError['reason']>> = {
  'Required value': 'FieldValueRequired',
  'Invalid value': 'FieldValueInvalid',
  'Unsupported value': 'FieldValueNotSupported',
  'Duplicate value': 'FieldValueDuplicate',
  'Not found': 'FieldValueNotFound',
  Forbidden: 'FieldValueForbidden',
  'Too long': 'FieldValueTooLong',
  'Too many': 'FieldValueTooMany',
}

export function judge(row: Row): void {
  const faults = faultsOf(row)
  const texts = faults.map(({ field, message }, i) => cut(`${field}: ${message}`, row.told[i] ?? ''))
  expect(texts).toEqual(row.told)
  for (const { reason, message } of faults) {
    const start = Object.keys(REASONS).find((text) => message.startsWith(text)) ?? ''
    expect(reason, message).toBe(REASONS[start])
  }
}

/** As far as the expected text goes, where that says that the real one goes on. */
function cut(text: string, wanted: string): string {
  return wanted.endsWith('…') && text.startsWith(wanted.slice(0, -1)) ? wanted : text
}

function faultsOf({ of, set = {}, change, via = '', gates = [], level = DEFAULT_LEVEL }: Row): readonly FieldError[] {
  const gvk = kindOf(of)
  const context = {
    gates: new Set([...ENABLED_GATES, ...gates]),
    namespaced: !CLUSTER_KINDS.has(gvk.kind),
    form: FAULT_FORMS[level],
  }
  const rules = rulesOf(gvk, level)
  const object = made(gvk, set)
  if (change === undefined) return validateCreate(rules, object, context)
  const both = { object: made(gvk, { ...set, ...change }), stored: object }
  return via === ''
    ? validateUpdate(rules, both, context)
    : validateSubresource(rules, { ...both, subresource: via }, context)
}

function kindOf(text: string): GroupVersionKind {
  const [apiVersion = '', kind = ''] = text.split(' ')
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return { group, version, kind }
}

function made(gvk: GroupVersionKind, tweak: Tweak): ApiObject {
  const apiVersion = gvk.group === '' ? gvk.version : `${gvk.group}/${gvk.version}`
  const members = VALID[`${apiVersion} ${gvk.kind}`]
  if (members === undefined) throw new Error(`there is no valid ${gvk.kind}`)
  const namespace = CLUSTER_KINDS.has(gvk.kind) ? {} : { namespace: 'ns' }
  const metadata = { name: 'a', ...namespace, uid: 'u-1', resourceVersion: '1', ...mapOrEmpty(members, 'metadata') }
  let object: ValueMap = { apiVersion, kind: gvk.kind, ...members, metadata }
  for (const [path, value] of Object.entries(tweak)) {
    const steps = path.split('/').map((step) => step.replaceAll('~1', '/'))
    object = changed(object, steps, value) as ValueMap
  }
  return applyDefaults(defaultsOf(gvk), canonicalOf(gvk, object), {
    gates: ENABLED_GATES,
    now: () => '2024-01-01T00:00:00Z',
  })
}

function changed(
  target: Value | undefined,
  [step, ...rest]: readonly string[],
  value: Value | undefined,
): Value | undefined {
  if (step === undefined) return value
  if (Array.isArray(target)) {
    const list = [...(target as readonly Value[])]
    const item = changed(list[Number(step)], rest, value)
    if (item !== undefined) list[Number(step)] = item
    else list.splice(Number(step), 1)
    return list
  }
  const { [step]: member, ...others } = isMap(target) ? target : {}
  const inner = changed(member, rest, value)
  return inner === undefined ? others : { ...others, [step]: inner }
}
