// The official client for Python, from the package index, in a folder of its own: nothing is installed into the machine.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { cacheFile, makeOnce } from './made-once.ts'

const PACKAGE = 'kubernetes==36.0.3'

/** How long it may take where it has never been fetched. */
export const PYTHON_FETCH_LIMIT_MS = 600_000

/** Resolves to the folder for PYTHONPATH. Throws and says what to install where it cannot be had. */
export async function fetchPythonClient(): Promise<string> {
  const folder = cacheFile('python', PACKAGE.replace('==', '-'))
  await makeOnce(folder, async (target) => {
    const args = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--target',
      `${target}/packages`,
      PACKAGE,
    ]
    await promisify(execFile)('python3', args, { maxBuffer: 16 << 20 }).catch((error: unknown) => {
      throw new Error('the Python client cannot be fetched; it needs python3 with pip', { cause: error })
    })
    return 'packages'
  })
  return folder
}
