// The official client for Python, from the package index, in a folder of its own: nothing is installed into the machine.
import { delimiter } from 'node:path'
import { cacheFile, makeOnce } from './made-once.ts'
import { findPython, installFromIndex, type Python } from './python.ts'

const PACKAGE = 'kubernetes==36.0.3'

/** How long it may take where it has never been fetched. */
export const PYTHON_FETCH_LIMIT_MS = 600_000

/** A Python that has the client. Throws and says what to install where it cannot be had. */
export async function fetchPythonClient(): Promise<Python> {
  const folder = cacheFile('python', PACKAGE.replace('==', '-'))
  await makeOnce(folder, async (target) => {
    await installFromIndex(PACKAGE, `${target}/packages`)
    return 'packages'
  })
  const { path, env } = await findPython()
  return { path, env: { ...env, PYTHONPATH: [folder, env['PYTHONPATH'] ?? []].flat().join(delimiter) } }
}
