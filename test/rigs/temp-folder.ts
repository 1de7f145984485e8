// A folder of its own for a test, and its end.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Removed when the running test is over. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
