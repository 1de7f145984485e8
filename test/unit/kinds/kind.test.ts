import { describe, it } from 'vitest'
import { expectDefaults, named } from './defaulting.ts'

describe('defaults', () => {
  it.each(named([{ of: 'example.com/v1 Widget', given: { spec: {} }, meant: { spec: {} } }]))('%s', expectDefaults)
})
