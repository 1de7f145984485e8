// The parts of an answer that filters and handlers set before it exists: headers, warnings, whether the client must reconnect, and the user
// of the request. Also the listeners for the end of the answer.
import type { User } from '../api/user.ts'
import { ANONYMOUS } from '../auth/user.ts'
import type { HeaderRecord } from '../wire/request-response.ts'
import type { Responder, ResponseHeaders } from './http.ts'
import { WarningList } from './warnings.ts'

export class EnvelopeResponder implements Responder {
  isSentAway = false
  user: User = ANONYMOUS
  isAuthorized = false
  isOver = false
  readonly #auditId: string
  #warnings: WarningList | undefined
  #added: ResponseHeaders | undefined
  #onOver: (() => void) | undefined

  constructor(auditId: string) {
    this.#auditId = auditId
  }

  readonly warn = (text: string): void => {
    this.#warnings ??= new WarningList()
    this.#warnings.add(text)
  }

  addHeaders(headers: ResponseHeaders): void {
    this.#added = this.#added === undefined ? headers : { ...this.#added, ...headers }
  }

  sendAway(): void {
    this.isSentAway = true
  }

  whenOver(listener: () => void): void {
    if (this.isOver) return listener()
    const before = this.#onOver
    this.#onOver =
      before === undefined
        ? listener
        : () => {
            before()
            listener()
          }
  }

  account(user: User, isAuthorized: boolean): void {
    this.user = user
    this.isAuthorized = isAuthorized
  }

  over(): void {
    this.isOver = true
    this.#onOver?.()
  }

  /**
   * The headers of every answer, errors included (P-002, R-270, R-271, R-273). A header of the handler replaces the header of the same name
   * here.
   */
  envelope(): HeaderRecord {
    const headers: HeaderRecord = { 'audit-id': this.#auditId, 'cache-control': 'no-cache, private' }
    if (this.#added !== undefined) Object.assign(headers, this.#added)
    if (this.#warnings !== undefined) {
      const warning = this.#warnings.headers()
      if (warning.length > 0) headers['warning'] = warning
    }
    return headers
  }
}
