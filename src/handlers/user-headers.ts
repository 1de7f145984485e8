// The headers that tell an aggregated server the user of a request. That server trusts the headers because of our client certificate
// (P-383).
import { ApiError } from '../api/status.ts'
import type { User } from '../api/user.ts'
import { escapeHeaderName, writeHeaderText } from '../lib/header-text.ts'

/** Throws `ApiError` if headers cannot contain a name or value of the user. */
export function userHeaders(user: User): Readonly<Record<string, string | string[]>> {
  return {
    'x-remote-user': textToPass('X-Remote-User', user.name),
    ...(user.uid === undefined || user.uid === '' ? {} : { 'x-remote-uid': textToPass('X-Remote-Uid', user.uid) }),
    ...(user.groups.length === 0
      ? {}
      : { 'x-remote-group': user.groups.map((group) => textToPass('X-Remote-Group', group)) }),
    ...Object.fromEntries(
      Object.entries(user.extra).map(([key, values]) => {
        const name = `x-remote-extra-${escapeHeaderName(key)}`
        return [name, values.map((value) => textToPass(name, value))]
      }),
    ),
  }
}

/** Throws `ApiError` if the text would arrive changed, because it could become the name of another user. */
function textToPass(name: string, text: string): string {
  const value = writeHeaderText(text)
  if (value === undefined) throw unsendable(name)
  return value
}

export function unsendable(name: string): ApiError {
  return new ApiError('BadRequest', `invalid header field value for ${JSON.stringify(name)}`)
}
