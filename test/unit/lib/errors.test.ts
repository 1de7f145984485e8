import { expect, it } from 'vitest'
import { CancelledError, InvariantError } from '../../../src/lib/errors.ts'

it('a cancelled error says why, and costs no stack; others have theirs', () => {
  const error = new CancelledError('the client has gone')
  expect(error).toMatchObject({ name: 'CancelledError', message: 'cancelled', cause: 'the client has gone' })
  expect(error.stack).not.toContain('errors.test.ts')
  expect(new InvariantError('a bug').stack).toContain('errors.test.ts')
})
