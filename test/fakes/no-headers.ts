// A request without headers, to authenticators.
import type { SentHeaders } from '../../src/auth/authenticator.ts'

export const NO_HEADERS: SentHeaders = Object.freeze({ headers: {}, takeHeader: () => [] })
