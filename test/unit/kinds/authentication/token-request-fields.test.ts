import { describe, it } from 'vitest'
import { expectDefaults, named } from '../defaulting.ts'

describe('defaults', () => {
  it.each(
    named([{ of: 'authentication.k8s.io/v1 TokenRequest', given: {}, meant: { spec: { expirationSeconds: 3600 } } }]),
  )('%s', expectDefaults)
})
