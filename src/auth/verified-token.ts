// A service account token with a valid signature: its user, its lifetime, and the objects that it is bound to.
import type { User } from '../api/user.ts'
import type { LiveKind, LiveObject, ObjectName } from './live-objects.ts'
import { type AccountName, accountGroups, accountUserName, asAuthenticated } from './user.ts'

export interface VerifiedToken {
  readonly kind: 'verified'
  /** In seconds since 1970. Undefined: the token never expires. */
  readonly expiresAt: number | undefined
  readonly notBefore: number | undefined
  readonly issuedAt: number | undefined
  /** The time from which use of the token is reported as stale, in seconds since 1970. */
  readonly warnAfter: number | undefined
  /** Empty: the token names no audience. */
  readonly audiences: readonly string[]
  readonly boundObjects: readonly BoundObject[]
  readonly isLegacy: boolean
  readonly user: User
}

/** An object that must exist for the token to be valid. */
export interface BoundObject extends ObjectName {
  /** The problem of the object with this name, such as another uid. Undefined: there is no problem. */
  readonly problemWith: (live: LiveObject) => string | undefined
  /** Warnings for the client of a valid token. */
  readonly warningsFrom?: (live: LiveObject) => readonly string[]
}

/** The allowed difference of clocks, and the time for which an object that is being deleted still counts. */
const LEEWAY_SECONDS = 60

/** The problem of the token's times (P-041). Undefined: there is no problem. */
export function claimProblem(
  { expiresAt, notBefore, issuedAt }: Pick<VerifiedToken, 'expiresAt' | 'notBefore' | 'issuedAt'>,
  nowMs: number,
): string | undefined {
  const now = nowMs / 1000
  if (notBefore !== undefined && now + LEEWAY_SECONDS < notBefore) return 'service account token is not valid yet'
  if (expiresAt !== undefined && now - LEEWAY_SECONDS > expiresAt) return 'service account token has expired'
  if (issuedAt !== undefined && now + LEEWAY_SECONDS < issuedAt) {
    return 'service account token claims could not be validated due to unexpected error'
  }
  return undefined
}

export function audienceProblem(meantFor: readonly string[], wanted: readonly string[]): string {
  const list = (texts: readonly string[]): string => `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`
  return `token audiences ${list(meantFor)} is invalid for the target audiences ${list(wanted)}`
}

export type Checked =
  | { readonly kind: 'good'; readonly found: readonly LiveObject[]; readonly warnings: readonly string[] }
  | { readonly kind: 'problem'; readonly problem: string }

const NO_WARNINGS: readonly string[] = []

/** Checks the objects in order, up to the first problem. An object that is being deleted is valid for one more minute. */
export function checkBoundObjects(
  boundObjects: readonly BoundObject[],
  find: (name: BoundObject) => LiveObject | undefined,
  nowMs: number,
): Checked {
  const found: LiveObject[] = []
  let warnings = NO_WARNINGS
  for (const boundObject of boundObjects) {
    const live = find(boundObject)
    const problem =
      live === undefined
        ? absence(boundObject)
        : (boundObject.problemWith(live) ?? deletion(boundObject.kind, live, nowMs))
    if (problem !== undefined || live === undefined)
      return { kind: 'problem', problem: problem ?? absence(boundObject) }
    found.push(live)
    if (boundObject.warningsFrom !== undefined) warnings = [...warnings, ...boundObject.warningsFrom(live)]
  }
  return { kind: 'good', found, warnings }
}

const INVALIDATED = 'service account token has been invalidated'

function absence({ kind, name }: ObjectName): string {
  return kind === 'serviceaccounts' ? `serviceaccounts ${JSON.stringify(name)} not found` : INVALIDATED
}

function deletion(kind: LiveKind, { deletedAtMs }: LiveObject, nowMs: number): string | undefined {
  if (deletedAtMs === undefined || deletedAtMs >= nowMs - LEEWAY_SECONDS * 1000) return undefined
  return kind === 'serviceaccounts' ? 'service account has been deleted' : INVALIDATED
}

const UID_WORDS: Readonly<Record<LiveKind, readonly [string, string]>> = {
  serviceaccounts: ['service account', 'claim'],
  secrets: ['secret', 'service account secret ref claim'],
  pods: ['pod', 'service account pod ref claim'],
  nodes: ['node', 'service account node ref claim'],
}

/** The problem of an object with another uid: it was made later, with the same name. */
export function uidProblem(kind: LiveKind, live: LiveObject, uid: string): string | undefined {
  if (live.uid === uid) return undefined
  const [what, claim] = UID_WORDS[kind]
  return `${what} UID (${live.uid}) does not match ${claim} (${uid})`
}

export interface Identity {
  readonly account: AccountName & { readonly uid: string }
  readonly pod: { readonly name: string; readonly uid: string } | undefined
  readonly node: { readonly name: string; readonly uid: string } | undefined
  /** The ID of the token. Empty: the token has no ID. */
  readonly id: string
}

const EXTRA = 'authentication.kubernetes.io/'

/** The user of a token. `extra` has the ID, the pod and the node of the token (P-042). */
export function boundUser({ account, pod, node, id }: Identity): User {
  const extra: Record<string, readonly string[]> = {}
  if (id !== '') extra[`${EXTRA}credential-id`] = [`JTI=${id}`]
  if (node !== undefined) {
    extra[`${EXTRA}node-name`] = [node.name]
    if (node.uid !== '') extra[`${EXTRA}node-uid`] = [node.uid]
  }
  if (pod !== undefined) {
    extra[`${EXTRA}pod-name`] = [pod.name]
    extra[`${EXTRA}pod-uid`] = [pod.uid]
  }
  const { namespace, uid } = account
  return asAuthenticated({ name: accountUserName(account), uid, groups: accountGroups(namespace), extra })
}
