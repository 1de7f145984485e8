// The meaning of a failed commit. LMDB writes the pages of a transaction first and commits by writing one more page. If the first writes
// failed, nothing was changed. If the last write failed, the outcome is unknown and LMDB takes no more transactions.
import { KvError } from '../kv.ts'

const ENOSPC = 28
const EFBIG = 27
const EDQUOT = 122
const MAP_FULL = -30792

/** LMDB's error after a partial write, with any cause. */
const EIO = 5

interface LmdbError extends Error {
  readonly code?: number
  readonly commitError?: Promise<unknown>
}

/** `canBegin`: whether the store still takes transactions after the failure. */
export async function toCommitError(error: unknown, canBegin: () => boolean): Promise<KvError> {
  const cause = await causeOf(error as LmdbError)
  if (!canBegin()) {
    return new KvError('unknown', `disk write failed: ${cause.message}`, { cause })
  }
  switch (cause.code) {
    case ENOSPC:
    case EFBIG:
    case EDQUOT:
    case MAP_FULL:
      return new KvError('full', `no space left: ${cause.message}`, { cause })
    case EIO:
      return new KvError('full', 'short write: the disk is full or failing', { cause })
    default:
      return new KvError('unavailable', `write failed: ${cause.message}`, { cause })
  }
}

/** The error from the package `lmdb` has a promise, which rejects with the real error. */
async function causeOf(error: LmdbError): Promise<LmdbError> {
  if (error.commitError === undefined) return error
  return error.commitError.then(
    () => error,
    (reason: unknown) => reason as LmdbError,
  )
}
