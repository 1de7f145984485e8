// The users of one server and their tokens.
import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { User } from '../api/user.ts'
import { TokenTable } from '../auth/token-file.ts'
import { checkOptions, checkValue, fits, isRecord, type OptionTypes, type ValueType } from '../lib/known-options.ts'

/**
 * The user of a request. RBAC decides about its rights; the group `system:masters` may do everything. The same name with other groups is another
 * user. A name alone means the first user of that name.
 */
export interface ServerUser {
  readonly name: string
  readonly groups?: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
  /** The bearer token of the user. Absent: the server makes a token. */
  readonly token?: string
}

const EXTRA: ValueType = {
  wanted: 'an object of lists of texts',
  fits: (extra) => isRecord(extra) && Object.values(extra).every((values) => fits(values, 'texts')),
}
const OPTIONS: OptionTypes<ServerUser> = { name: 'text', groups: 'texts', uid: 'text?', extra: EXTRA, token: 'text?' }

type KnownUser = User & { readonly token: string }

export class Users {
  readonly #table = new TokenTable()
  readonly #known: KnownUser[] = []
  readonly method = this.#table.method

  /** `taken`: the users of the server whose state this server starts from. Throws for a name in `given` that is not new. */
  constructor(taken: readonly ServerUser[], given: readonly ServerUser[]) {
    for (const user of taken) this.#tokenOf(user)
    for (const user of given) {
      const isTwice = this.#known.some(({ name }) => name === user?.name)
      this.#tokenOf(user)
      if (isTwice) throw new Error(`there are two users ${user.name}`)
    }
  }

  /** The token of the first matching user. If no user matches, a name throws an error, and a description makes a user. */
  tokenOf(user: string | ServerUser): string {
    if (typeof user !== 'string' || user === '') return this.#tokenOf(user as ServerUser)
    const known = this.#known.find(({ name }) => name === user)
    if (known !== undefined) return known.token
    throw new Error(
      `there is no user ${user}; name it in the options of startServer, or give its groups: { name, groups }`,
    )
  }

  /** The users, with their tokens. */
  all(): readonly ServerUser[] {
    return this.#known.map(({ uid, ...user }) => (uid === undefined ? user : { ...user, uid }))
  }

  #tokenOf(given: ServerUser): string {
    checkValue('user', 'user', given, 'object')
    checkValue('user', 'name', given.name, 'text')
    checkOptions(`user ${given.name}`, given, OPTIONS)
    const { groups = [], uid, extra = {}, name } = given
    const isWanted = (known: KnownUser): boolean =>
      Object.entries(given).every(([member, value]) => isDeepStrictEqual(Reflect.get(known, member), value))
    const known = this.#known.find(({ token }) => token === given.token) ?? this.#known.find(isWanted)
    if (known === undefined) {
      const { token = randomBytes(32).toString('base64url') } = given
      const made = structuredClone({ name, uid, groups, extra })
      this.#table.add(token, made)
      this.#known.push({ ...made, token })
      return token
    }
    if (isWanted(known)) return known.token
    throw new TypeError(`user ${name}: the token is that of another user, ${known.name}`)
  }
}
