// Decides which names a custom resource definition gets, and whether it is established, by the other known definitions (P-314, P-345,
// P-346). Pure functions of the stored definitions.
import { listOrEmpty, mapOrEmpty, textOrEmpty, textsOnly } from '../api/members.ts'
import { annotationsOf, metaText } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { conditionOf, type Definition, hasBadAuthority } from '../kinds/kinds.ts'
import { addToSet, removeFromSet } from '../lib/map-entries.ts'

/** The owners of names, group by group. Plurals, singulars and short names are one set, kinds and list kinds another. */
export class TakenNames {
  readonly #owners = new Map<string, Set<string>>()

  add(definition: Definition): void {
    for (const key of keysOf(definition)) addToSet(this.#owners, key, definition.name)
  }

  remove(definition: Definition): void {
    for (const key of keysOf(definition)) removeFromSet(this.#owners, key, definition.name)
  }

  /** Whether another definition of the group has the name. */
  isTaken(name: string, by: { readonly group: string; readonly set: NameSet; readonly self: string }): boolean {
    const owners = this.#owners.get(`${by.group}/${by.set}/${name}`)
    return owners !== undefined && (owners.size > 1 || !owners.has(by.self))
  }
}

type NameSet = 'resource' | 'kind'

function keysOf({ group, accepted }: Definition): readonly string[] {
  const resources = [accepted.plural, accepted.singular, ...accepted.shortNames]
  return [
    ...resources.map((name) => `${group}/resource/${name}`),
    ...[accepted.kind, accepted.listKind].map((name) => `${group}/kind/${name}`),
  ]
}

/** The definition with those of its requested names that no other definition in its group has. */
export function withNames(object: ApiObject, taken: TakenNames, now: string): ApiObject {
  const status = mapOrEmpty(object, 'status')
  const requested = mapOrEmpty(mapOrEmpty(object, 'spec'), 'names')
  const accepted = mapOrEmpty(status, 'acceptedNames')
  const place = { group: textOrEmpty(mapOrEmpty(object, 'spec'), 'group'), self: metaText(object, 'name') }
  const isTaken = (name: string, set: NameSet): boolean => taken.isTaken(name, { ...place, set })
  const names: Record<string, Value> = { ...accepted }
  let conflict: readonly [string, string] | undefined
  const take = (field: string, set: NameSet, reason: string): void => {
    const wanted = textOrEmpty(requested, field)
    if (wanted !== textOrEmpty(accepted, field) && isTaken(wanted, set)) conflict = [reason, inUse(wanted)]
    else if (wanted !== '' || Object.hasOwn(accepted, field)) names[field] = wanted
  }
  take('plural', 'resource', 'PluralConflict')
  take('singular', 'resource', 'SingularConflict')
  const ours = new Set(textsOnly(accepted, 'shortNames'))
  const lost = textsOnly(requested, 'shortNames').filter((name) => !ours.has(name) && isTaken(name, 'resource'))
  if (lost.length > 0) {
    const texts = lost.map(inUse)
    conflict = ['ShortNamesConflict', texts.length === 1 ? texts.join() : `[${texts.join(', ')}]`]
  } else setList(names, 'shortNames', textsOnly(requested, 'shortNames'))
  take('kind', 'kind', 'KindConflict')
  take('listKind', 'kind', 'ListKindConflict')
  setList(names, 'categories', textsOnly(requested, 'categories'))
  const [reason, message] = conflict ?? ['NoConflicts', 'no conflicts found']
  const isAccepted = conflict === undefined
  const named =
    JSON.stringify(sorted(names)) === JSON.stringify(sorted(accepted)) ? object : withAccepted(object, names)
  const judged = withCondition(named, { type: 'NamesAccepted', status: isAccepted, reason, message }, now)
  if (conditionOf(judged, 'Established')?.['status'] === 'True') return withApproval(judged, now)
  const next = isAccepted ? awaiting(judged) : { reason: 'NotAccepted', message: 'not all names are accepted' }
  return withApproval(withCondition(judged, { type: 'Established', status: false, ...next }, now), now)
}

/** Keeps the reason why the definition is not established. Otherwise the two steps would undo each other for ever. */
function awaiting(object: ApiObject): Pick<Condition, 'reason' | 'message'> {
  const isRefused = conditionOf(object, 'Established')?.['reason'] === UNTRUSTED.reason && hasBadAuthority(object)
  return isRefused ? UNTRUSTED : { reason: 'Installing', message: 'the initial names have been accepted' }
}

/** The conversion webhook could not be called (P-314). */
const UNTRUSTED = { reason: 'InvalidCABundle', message: 'The conversion webhook CABundle is invalid' } as const

function withApproval(object: ApiObject, now: string): ApiObject {
  const approval = approvalOf(object)
  return approval === undefined ? object : withCondition(object, approval, now)
}

/** The second step: a definition whose names were accepted is established. */
export function withEstablished(object: ApiObject, _taken: TakenNames, now: string): ApiObject {
  if (conditionOf(object, 'NamesAccepted')?.['status'] !== 'True') return object
  if (conditionOf(object, 'Established')?.['status'] === 'True') return object
  const type = 'Established'
  if (hasBadAuthority(object)) return withCondition(object, { type, status: false, ...UNTRUSTED }, now)
  const message = 'the initial names have been accepted'
  return withCondition(object, { type, status: true, reason: 'InitialNamesAccepted', message }, now)
}

function withAccepted(object: ApiObject, names: ValueMap): ApiObject {
  return { ...object, status: { ...mapOrEmpty(object, 'status'), acceptedNames: names } }
}

function inUse(name: string): string {
  return `${JSON.stringify(name)} is already in use`
}

function setList(names: Record<string, Value>, field: string, list: readonly string[]): void {
  if (list.length > 0) names[field] = list
  else delete names[field]
}

function sorted(map: ValueMap): readonly (readonly [string, Value])[] {
  return Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1))
}

const APPROVAL = 'api-approved.kubernetes.io'
const POLICY = 'see https://github.com/kubernetes/enhancements/pull/1111'

/** The condition about the approval that `*.k8s.io` groups need (P-306). Undefined for all other groups. */
function approvalOf(object: ApiObject): Condition | undefined {
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

interface Condition {
  readonly type: string
  readonly status: boolean
  readonly reason: string
  readonly message: string
  readonly observedGeneration?: number | bigint
}

/** Sets a condition. Its transition time changes only with its status. Returns the same object if the condition is up to date. */
export function withCondition<T extends ApiObject>(object: T, { type, status, ...said }: Condition, now: string): T {
  const before = conditionOf(object, type)
  const word = status ? 'True' : 'False'
  const isSame = before?.['status'] === word
  if (isSame && Object.entries(said).every(([name, value]) => before[name] === value)) return object
  const time = isSame ? (before['lastTransitionTime'] ?? now) : now
  const condition: ValueMap = { type, status: word, lastTransitionTime: time, ...said }
  const conditions = listOrEmpty(mapOrEmpty(object, 'status'), 'conditions')
  const next = conditions.some((one) => one === before)
    ? conditions.map((one) => (one === before ? condition : one))
    : [...conditions, condition]
  return { ...object, status: { ...mapOrEmpty(object, 'status'), conditions: next } }
}
