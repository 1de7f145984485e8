import { expect, it } from 'vitest'
import { toCommitError } from '../../../../src/kv/embedded/commit-error.ts'

/** As the package fails: with an error that promises the real one. */
function failure(code: number): Error {
  const commitError = Promise.reject(Object.assign(new Error('why'), { code }))
  return Object.assign(new Error('Commit failed'), { commitError })
}

it.each([
  ['a full disk', 28, true, 'full'],
  ['a quota', 122, true, 'full'],
  ['a file that may not grow', 27, true, 'full'],
  ['a full map', -30792, true, 'full'],
  ['a write that was cut short', 5, true, 'full'],
  ['anything else', 13, true, 'unavailable'],
  ['a full disk that the store did not survive', 28, false, 'unknown'],
  ['an error of the disk that the store did not survive', 5, false, 'unknown'],
])('%s', async (_, code, goesOn, wanted) => {
  const error = await toCommitError(failure(code), () => goesOn)
  expect(error).toMatchObject({ name: 'KvError', code: wanted, cause: { code } })
})

it('an error of our own is told as it is', async () => {
  const error = await toCommitError(new Error('key too long'), () => true)
  expect(error).toMatchObject({ code: 'unavailable', message: 'write failed: key too long' })
})
