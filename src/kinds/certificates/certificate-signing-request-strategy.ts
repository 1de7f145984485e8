// Requests for certificates say who asked, which nobody but the server can write; approval and signing are written through
// endpoints of their own (W-596 to W-598).
import type { ApiObject } from '../../api/object.ts'
import type { ValueMap } from '../../api/value.ts'
import { own } from '../../api/value.ts'
import type { User } from '../../api/user.ts'
import { withMemberOf } from '../../registry/object-meta.ts'
import type { KindStrategy } from '../strategy.ts'
import { mapIn, mapsIn, withMembers, withSpec } from '../shared/members.ts'
import { textOf } from '../../schema/validation/members.ts'

const DECISIONS: ReadonlySet<string> = new Set(['Approved', 'Denied'])

export const CERTIFICATE_SIGNING_REQUEST: KindStrategy = {
  prepareForCreate: (object, { user }) => withSpec(object, writtenBy(user)),
  prepareForUpdate: (object, stored) => withMemberOf(object, stored, 'spec'),
  prepareStatus: (object, stored, { now }) => withConditionTimes(withDecisionsOf(object, stored), stored, now),
  resetFields: ['spec', 'status'],
  subresources: {
    approval: {
      prepare: (object, stored, { now }) => {
        const conditions = own(mapIn(withConditionTimes(object, stored, now), 'status'), 'conditions')
        const status = withMembers(mapIn(stored, 'status'), { conditions })
        return { ...withMemberOf(object, stored, 'spec'), status }
      },
      resetFields: ['spec', 'status.certificate'],
    },
  },
}

function writtenBy(user: User): Readonly<Record<string, ValueMap[string] | undefined>> {
  const extra = Object.entries(user.extra)
  return {
    username: user.name === '' ? undefined : user.name,
    uid: user.uid === undefined || user.uid === '' ? undefined : user.uid,
    groups: user.groups.length === 0 ? undefined : user.groups,
    extra: extra.length === 0 ? undefined : Object.fromEntries(extra),
  }
}

/** A signer repeats what was decided, word for word; that one is added or taken away is for validation to refuse. */
function withDecisionsOf(object: ApiObject, stored: ApiObject): ApiObject {
  const before = mapsIn(mapIn(stored, 'status'), 'conditions')
  let conditions = mapsIn(mapIn(object, 'status'), 'conditions')
  for (const type of DECISIONS) {
    const decided = before.filter((condition) => textOf(condition, 'type') === type)
    if (conditions.filter((condition) => textOf(condition, 'type') === type).length !== decided.length) continue
    let next = 0
    conditions = conditions.map((condition) => (textOf(condition, 'type') === type ? decided[next++]! : condition))
  }
  return withConditions(object, conditions)
}

function withConditionTimes(object: ApiObject, stored: ApiObject, now: string): ApiObject {
  const before = mapsIn(mapIn(stored, 'status'), 'conditions')
  const conditions = mapsIn(mapIn(object, 'status'), 'conditions').map((condition) => {
    const same = before.find(
      (old) =>
        textOf(old, 'type') === textOf(condition, 'type') &&
        textOf(old, 'status') === textOf(condition, 'status') &&
        textOf(old, 'lastTransitionTime') !== '',
    )
    return withMembers(condition, {
      lastUpdateTime: textOf(condition, 'lastUpdateTime') || now,
      lastTransitionTime:
        textOf(condition, 'lastTransitionTime') || (same === undefined ? now : textOf(same, 'lastTransitionTime')),
    })
  })
  return withConditions(object, conditions)
}

function withConditions(object: ApiObject, conditions: readonly ValueMap[]): ApiObject {
  const status = mapIn(object, 'status')
  if (conditions.length === 0 && !Object.hasOwn(status, 'conditions')) return object
  return { ...object, status: { ...status, conditions } }
}
