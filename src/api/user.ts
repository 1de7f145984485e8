// The user of a request, as the authenticator found it.
import type { UserInfo } from './gen/kinds.ts'

export interface User {
  readonly name: string
  readonly uid: string | undefined
  readonly groups: readonly string[]
  /** Further data of the authenticator. Keys are in lower case. */
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** A user as the `UserInfo` of the API, without empty members. */
export function userInfo({ name, uid, groups, extra }: User): UserInfo {
  return {
    ...(name !== '' && { username: name }),
    ...(uid !== undefined && uid !== '' && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}
