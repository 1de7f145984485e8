// The users of one server and their tokens.
import { randomBytes } from 'node:crypto'
import type { User } from '../api/user.ts'
import { TokenTable } from '../auth/token-file.ts'
import { checkOptions, checkPresent, type OptionNames } from '../lib/known-options.ts'

/** Who sends a request. What it may do is up to RBAC; the group `system:masters` may do everything. */
export interface ServerUser {
  readonly name: string
  readonly groups?: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
  /** A bearer token of your own; absent: the server makes one. */
  readonly token?: string
}

const OPTIONS: OptionNames<ServerUser> = ['name', 'groups', 'uid', 'extra', 'token']

export class Users {
  readonly #table = new TokenTable()
  readonly #known = new Map<string, ServerUser & { readonly token: string }>()
  readonly method = this.#table.method

  constructor(users: Iterable<ServerUser>) {
    for (const user of users) this.#add(user)
  }

  tokenOf(user: string | ServerUser): string {
    const known = this.#known.get(typeof user === 'string' ? user : user.name)
    if (known !== undefined) return known.token
    if (typeof user === 'string') {
      throw new Error(
        `there is no user ${user}; name it in the options of startServer, or give its groups: { name, groups }`,
      )
    }
    return this.#add(user)
  }

  /** With their tokens. */
  all(): readonly ServerUser[] {
    return [...this.#known.values()]
  }

  #add(given: ServerUser): string {
    checkOptions(`user ${given.name}`, given, OPTIONS)
    checkPresent('user', 'name', given.name)
    const { token = randomBytes(32).toString('base64url'), ...user } = given
    checkPresent(`user ${given.name}`, 'token', token)
    const { name, groups = [], uid, extra = {} } = user
    if (this.#known.has(name)) throw new Error(`there are two users ${name}`)
    const told: User = { name, uid, groups, extra }
    this.#table.add(token, told)
    this.#known.set(name, { ...user, token })
    return token
  }
}
