// The static token file: CSV with token, user name, uid and an optional list of groups in one field (P-036). The server keeps digests of
// the tokens, so that the time of a lookup does not tell how much of a token is right.
import { hash } from 'node:crypto'
import type { User } from '../api/user.ts'
import type { TokenAnswer, TokenMethod } from './bearer-tokens.ts'
import { asAuthenticated } from './user.ts'

/** Static tokens. Their audience is this server only. */
export function staticTokens(users: ReadonlyMap<string, User>): TokenMethod {
  const tokens = new TokenTable()
  for (const [token, user] of users) tokens.add(token, user)
  return tokens.method
}

/** Static tokens that can be added while the server runs. */
export class TokenTable {
  readonly #answers = new Map<string, TokenAnswer>()

  readonly method: TokenMethod = (presented) => this.#answers.get(presented.digest) ?? UNKNOWN

  add(token: string, user: User): void {
    this.#answers.set(digest(token), { kind: 'user', user: asAuthenticated(user) })
  }
}

const UNKNOWN: TokenAnswer = { kind: 'unknown' }

function digest(token: string): string {
  return hash('sha256', token, 'base64')
}

export interface TokenFile {
  readonly users: ReadonlyMap<string, User>
  /** Lines with an empty token: they are ignored, and the log names them. */
  readonly skippedLines: readonly number[]
}

/** Throws an `Error` with a message of one line if the text is malformed. */
export function parseTokenFile(text: string): TokenFile {
  const users = new Map<string, User>()
  const skippedLines: number[] = []
  for (const { fields, line } of parseCsv(text)) {
    const [token = '', name = '', uid = '', groups = ''] = fields
    if (fields.length < 3) {
      throw new Error(
        `line ${line} has ${fields.length} columns where at least 3 are needed: token, user name, user uid`,
      )
    }
    if (token === '') skippedLines.push(line)
    else users.set(token, { name, uid: uid === '' ? undefined : uid, groups: splitGroups(groups), extra: {} })
  }
  return { users, skippedLines }
}

function splitGroups(text: string): string[] {
  return text
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '')
}

interface CsvRecord {
  readonly fields: readonly string[]
  /** The line on which the record begins, from 1. */
  readonly line: number
}

/** Fields are separated by commas. A field in double quotes may hold commas, line breaks and doubled quotes. Blank lines are skipped. */
function parseCsv(text: string): CsvRecord[] {
  const records: CsvRecord[] = []
  const field = /(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(,|\r?\n|$)/y
  let fields: string[] = []
  let line = 1
  let start = 1
  while (field.lastIndex < text.length) {
    const at = field.lastIndex
    const match = field.exec(text)
    if (match === null) throw new Error(`line ${line} has a stray double quote`)
    const [whole, quoted, bare = '', end = ''] = match
    fields.push(quoted?.replaceAll('""', '"') ?? bare.trim())
    line += whole.split('\n').length - 1
    if (end === ',' && field.lastIndex < text.length) continue
    if (end === ',') fields.push('')
    const blank = fields.length === 1 && text.slice(at, field.lastIndex).trim() === ''
    if (!blank) records.push({ fields, line: start })
    fields = []
    start = line
  }
  return records
}
