// Python with pip: the one on PATH, or Debian's packages unpacked into the cache. What pip installs goes into folders of the
// caller's; nothing is installed into the machine.
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unpackMissing } from './debian-package.ts'
import { cacheFile, findOnPath, makeOnce } from './made-once.ts'

const run = promisify(execFile)

/** Where Debian and its kin keep the certificates that they trust, once the package for them is installed. */
const SYSTEM_CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
const ADVICE = 'Install Python 3 with pip (on Debian: apt-get install python3-pip).'

export interface Python {
  readonly path: string
  /** To be set beside what is set already. */
  readonly env: Readonly<Record<string, string>>
}

/** Throws and says what to install where there is none and none can be had. */
export async function findPython(): Promise<Python> {
  const path = await findOnPath('python3')
  if (path !== undefined && (await hasPip(path))) return { path, env: {} }
  const root = cacheFile('debian', `python-${process.arch}`)
  try {
    await makeOnce(root, unpackPython)
  } catch (error) {
    throw new Error(`no Python with pip. ${ADVICE}`, { cause: error })
  }
  return unpackedPython(root)
}

/** Installs it with all that it needs into the folder, from the package index that pip is set to. */
export async function installFromIndex(packageName: string, folder: string): Promise<void> {
  const { path, env } = await findPython()
  const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input', '--target', folder]
  await run(path, [...args, packageName], { env: { ...process.env, ...env }, maxBuffer: 16 << 20 })
}

/** The certificates that a program of the cache is to trust where this machine has none. */
export function unpackedCertificates(): Readonly<Record<string, string>> {
  const file = join(cacheFile('debian', `python-${process.arch}`), CERTIFICATES)
  if (existsSync(SYSTEM_CERTIFICATES) || !existsSync(file)) return {}
  const { SSL_CERT_FILE = file, PIP_CERT = SSL_CERT_FILE } = process.env
  return { SSL_CERT_FILE, PIP_CERT }
}

const CERTIFICATES = 'certificates.pem'

function hasPip(path: string): Promise<boolean> {
  return run(path, ['-m', 'pip', '--version']).then(
    () => true,
    () => false,
  )
}

async function unpackPython(folder: string): Promise<string> {
  const root = await unpackMissing(['python3', 'python3-pip-whl', 'ca-certificates'], folder)
  const certificates = globSync('usr/share/ca-certificates/mozilla/*.crt', { cwd: join(folder, root) })
  const files = certificates.map((file) => join(folder, root, file))
  const { NODE_EXTRA_CA_CERTS: more } = process.env
  if (more !== undefined && existsSync(more)) files.push(more)
  if (certificates.length > 0) {
    await writeFile(join(folder, root, CERTIFICATES), files.map((file) => readFileSync(file, 'utf8')).join('\n'))
  }
  return root
}

/** What is installed already is not in the root: the interpreter may be the system's, and pip too. */
function unpackedPython(root: string): Python {
  const own = join(root, 'usr/bin/python3')
  const libraries = globSync(['usr/lib/*-linux-*', 'lib/*-linux-*'], { cwd: root }).map((folder) => join(root, folder))
  const [pip = ''] = [root, '/'].flatMap((from) => globSync(join(from, 'usr/share/python-wheels/pip-*.whl')))
  const env = { PYTHONPATH: pip, ...unpackedCertificates() }
  if (!existsSync(own)) return { path: '/usr/bin/python3', env }
  return { path: own, env: { ...env, PYTHONHOME: join(root, 'usr'), LD_LIBRARY_PATH: libraries.join(':') } }
}
