// Impersonation: the required permissions, and the resulting user (P-086 to P-090). The constrained modes are tried before the legacy mode.
// The mode that last succeeded for a requester is tried first.
import type { User } from '../api/user.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import type { Access, Authorizer, ResourceAccess } from './authorizer.ts'
import {
  accountGroups,
  accountOf,
  ANONYMOUS,
  AUTHENTICATED,
  isSubdomain,
  MASTERS,
  nodeOf,
  NODES,
  UNAUTHENTICATED,
} from './user.ts'

const API = 'authentication.k8s.io'
const NODE_OF_ACCOUNT = 'authentication.kubernetes.io/node-name'

export type Impersonation =
  /** `constraint`: the permission that allowed the impersonation. Undefined: the legacy mode. */
  | { readonly kind: 'user'; readonly user: User; readonly constraint: string | undefined }
  | { readonly kind: 'refused'; readonly access: Access; readonly reason: string | undefined }

interface Mode {
  /** Such as `user-info`. Undefined: the legacy mode. */
  readonly name: string | undefined
  readonly applies: (wanted: User, requester: User) => boolean
}

const MODES: readonly Mode[] = [
  { name: 'associated-node', applies: (wanted, requester) => hasNameOnly(wanted) && runsOn(requester, wanted.name) },
  { name: 'arbitrary-node', applies: (wanted) => hasNameOnly(wanted) && nodeOf(wanted.name) !== undefined },
  { name: 'serviceaccount', applies: (wanted) => hasNameOnly(wanted) && accountOf(wanted.name) !== undefined },
  {
    name: 'user-info',
    applies: ({ name }) => nodeOf(name) === undefined && accountOf(name) === undefined,
  },
  { name: undefined, applies: () => true },
]
const LEGACY_ONLY: readonly Mode[] = MODES.filter(({ name }) => name === undefined)

/** The least recently used entries are forgotten. */
const REMEMBERED_USERS = 10_000

export class Impersonator {
  readonly #authorizer: Authorizer
  readonly #modes: readonly Mode[]
  readonly #lastGood = new BoundedMap<string, Mode>(REMEMBERED_USERS)

  constructor(authorizer: Authorizer, constrained: boolean) {
    this.#authorizer = authorizer
    this.#modes = constrained ? MODES : LEGACY_ONLY
  }

  /** `access`: the request of the requester, under the requester's own name. */
  async impersonate(wanted: User, access: Access, signal: AbortSignal): Promise<Impersonation> {
    const requester = access.user
    const before = this.#lastGood.get(requester.name)
    const order = before === undefined ? this.#modes : [before, ...this.#modes.filter((mode) => mode !== before)]
    let first: Impersonation | undefined
    for (const mode of order) {
      if (!mode.applies(wanted, requester)) continue
      const outcome = await new Attempt(this.#authorizer, mode, access, signal).run(wanted)
      if (outcome.kind === 'user') {
        this.#lastGood.set(requester.name, mode)
        return outcome
      }
      first ??= outcome
    }
    return first ?? { kind: 'refused', access, reason: 'all impersonation modes failed' }
  }
}

type Refusal = Extract<Impersonation, { readonly kind: 'refused' }>

/** From this number of groups or extra values on, the right to all of them (`*`) is checked first. */
const MANY = 4

class Attempt {
  readonly #authorizer: Authorizer
  readonly #mode: Mode
  readonly #access: Access
  readonly #signal: AbortSignal

  constructor(authorizer: Authorizer, mode: Mode, access: Access, signal: AbortSignal) {
    this.#authorizer = authorizer
    this.#mode = mode
    this.#access = access
    this.#signal = signal
  }

  async run(wanted: User): Promise<Impersonation> {
    const { name: mode } = this.#mode
    const refusal =
      (mode === undefined ? undefined : await this.#check(this.#doing(mode))) ??
      (await this.#check(this.#subject(wanted.name))) ??
      (wanted.uid === undefined ? undefined : await this.#check(this.#part('uids', { name: wanted.uid }))) ??
      (await this.#checkGroups(wanted.groups)) ??
      (await this.#checkExtra(wanted.extra))
    if (refusal !== undefined) return refusal
    const constraint = mode === undefined ? undefined : `impersonate:${mode}`
    return { kind: 'user', user: completed(wanted, mode !== undefined), constraint }
  }

  /** The permission to make this request as another user. */
  #doing(mode: string): Access {
    return this.#asked({ ...this.#access, verb: `impersonate-on:${mode}:${this.#access.verb}` })
  }

  #subject(username: string): Access {
    const { name: mode } = this.#mode
    const node = mode === undefined ? undefined : nodeOf(username)
    // The right to impersonate the requester's own node names no node.
    if (node !== undefined) return this.#part('nodes', { name: mode === 'associated-node' ? '*' : node })
    const group = mode === undefined ? '' : API
    const account = accountOf(username)
    return account === undefined
      ? this.#part('users', { name: username, group })
      : this.#part('serviceaccounts', { ...account, group })
  }

  async #checkGroups(groups: readonly string[]): Promise<Refusal | undefined> {
    const isConstrained = this.#mode.name !== undefined
    const group = isConstrained ? API : ''
    const access = (name: string | undefined): Access => this.#part('groups', { name, group })
    if (isConstrained) {
      if (groups.includes('')) return refused(access(undefined), 'impersonating the empty string group is not allowed')
      if (groups.includes(MASTERS)) {
        return refused(access(MASTERS), 'impersonating the system:masters group is not allowed')
      }
      if (groups.length >= MANY && (await this.#check(access('*'))) === undefined) return undefined
    }
    return this.#checkEach(groups.map(access))
  }

  async #checkExtra(extra: User['extra']): Promise<Refusal | undefined> {
    const access = (key: string, value: string): Access =>
      this.#part('userextras', { subresource: key === '' ? undefined : key, name: value })
    const each = Object.entries(extra).flatMap(([key, values]) => values.map((value) => access(key, value)))
    if (this.#mode.name !== undefined && each.length > 0) {
      const fault = extraFault(extra)
      if (fault !== undefined) return refused(this.#part('userextras', { name: undefined }), fault)
      if (each.length >= MANY && (await this.#check(access('*', '*'))) === undefined) return undefined
    }
    return this.#checkEach(each)
  }

  async #checkEach(all: readonly Access[]): Promise<Refusal | undefined> {
    for (const access of all) {
      const refusal = await this.#check(access)
      if (refusal !== undefined) return refusal
    }
    return undefined
  }

  async #check(access: Access): Promise<Refusal | undefined> {
    const decision = await this.#authorizer.authorize(access, this.#signal)
    if (decision.kind === 'allow') return undefined
    const told = [decision.problem, decision.reason].filter((text) => text !== undefined && text !== '')
    return refused(access, told.length === 0 ? undefined : told.join(': '))
  }

  #part(
    resource: string,
    more: Pick<ResourceAccess, 'name'> & Partial<Pick<ResourceAccess, 'group' | 'namespace' | 'subresource'>>,
  ): Access {
    const { name: mode } = this.#mode
    return this.#asked({
      kind: 'resource',
      user: this.#access.user,
      verb: mode === undefined ? 'impersonate' : `impersonate:${mode}`,
      version: 'v1',
      resource,
      group: API,
      subresource: undefined,
      namespace: undefined,
      ...more,
    })
  }

  /** In the mode `associated-node`, authorizers see only the keys of the requester's extra fields. */
  #asked(access: Access): Access {
    if (this.#mode.name !== 'associated-node') return access
    const keys = Object.keys(access.user.extra).sort()
    return { ...access, user: { ...access.user, extra: { 'authentication.kubernetes.io/associated-node-keys': keys } } }
  }
}

function refused(access: Access, reason: string | undefined): Refusal {
  return { kind: 'refused', access, reason }
}

/** Nodes and accounts get their usual groups if none are requested. All users except the anonymous user count as authenticated (P-088). */
function completed(wanted: User, isConstrained: boolean): User {
  const account = accountOf(wanted.name)
  const isNode = isConstrained && nodeOf(wanted.name) !== undefined
  const ofAccount = account === undefined || wanted.groups.length > 0 ? wanted.groups : accountGroups(account.namespace)
  const groups = isNode ? [NODES] : ofAccount
  const common = wanted.name === ANONYMOUS.name ? UNAUTHENTICATED : AUTHENTICATED
  const isSettled = groups.includes(common) || groups.includes(UNAUTHENTICATED)
  return { ...wanted, groups: isSettled ? groups : [...groups, common] }
}

function hasNameOnly({ uid, groups, extra }: User): boolean {
  return uid === undefined && groups.length === 0 && Object.keys(extra).length === 0
}

/** Whether the requester is a service account in a pod on that node. */
function runsOn({ name, extra }: User, username: string): boolean {
  const node = nodeOf(username)
  const [own, ...more] = extra[NODE_OF_ACCOUNT] ?? []
  return node !== undefined && accountOf(name) !== undefined && more.length === 0 && own === node
}

function extraFault(extra: User['extra']): string | undefined {
  for (const [key, values] of Object.entries(extra)) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed'
    const slash = key.indexOf('/')
    const isPath =
      slash > 0 && isSubdomain(key.slice(0, slash)) && /^[-\w.~%!$&'()*+,;=:/]+$/.test(key.slice(slash + 1))
    if (!isPath) {
      const shown = `extra.key: Invalid value: ${JSON.stringify(key)}: must be a domain-prefixed path (such as "acme.io/foo")`
      return `impersonating an invalid key in extra is not allowed: ${shown}`
    }
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed'
  }
  return undefined
}
