// Raises the revision of an etcd. etcd has no call for that: each revision takes a write.
import { forEachAtOnce } from '../../lib/together.ts'
import type { SkipRequest } from '../copy.ts'
import type { Revision } from '../kv.ts'

/**
 * The number of revisions that can be skipped in a second, measured with a member on the same machine. 1e9 revisions take about 70 hours.
 */
export const BURNT_A_SECOND = 4000

/** The number of concurrent writes. It equals the limit of concurrent calls in `cluster.ts`. */
const AT_A_TIME = 256

/** After this many revisions, history is compacted, so that etcd uses its space again. */
const COMPACTED_AFTER = 100_000

interface Writes {
  readonly newest: Revision
  /** Resolves with the revision of the write. */
  readonly put: () => Promise<Revision>
  readonly compact: (upTo: Revision) => Promise<void>
}

export async function burnRevisions({ revision: to, onProgress }: SkipRequest, writes: Writes): Promise<void> {
  let { newest } = writes
  while (newest < to) {
    newest = await burnTo(Math.min(to, newest + COMPACTED_AFTER), writes.put)
    await writes.compact(newest)
    onProgress(newest)
  }
}

async function burnTo(goal: Revision, put: Writes['put']): Promise<Revision> {
  let newest = 0
  const untilGoal = function* (): Generator<void> {
    for (;;) {
      if (newest >= goal) return
      yield
    }
  }
  await forEachAtOnce(untilGoal(), { most: AT_A_TIME }, async () => {
    newest = Math.max(newest, await put())
  })
  return newest
}
