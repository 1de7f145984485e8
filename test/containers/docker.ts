// docker and make as an operator runs them, in a copy of the checkout. Names and the port are those of the tests, so that a stack and an image
// that somebody uses on this machine stay as they are.
import { execFile } from 'node:child_process'
import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const CHECKOUT = path.join(import.meta.dirname, '../..')

/** Of the project, of the image, and of a container and a volume beside the project. */
export const NAME = 'quarterdeck-under-test'
export const COPY = path.join(tmpdir(), `${NAME}-${process.getuid?.()}`)

/** What `make image` and `make up` need. */
const NEEDED = [
  '.config',
  '.dockerignore',
  '.npmrc',
  'Makefile',
  'deploy',
  'docker-compose.yml',
  'package-lock.json',
  'package.json',
  'src',
  'tsconfig.json',
]

/** What it prints, on both streams. Throws with it where the command fails. */
async function command(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { stdout, stderr } = await run(program, [...args], { cwd, maxBuffer: 64 << 20 })
  return `${stdout}${stderr}`.trim()
}

export const docker = (...args: readonly string[]): Promise<string> => command('docker', args, CHECKOUT)

export const compose = (...args: readonly string[]): Promise<string> => command('docker', ['compose', ...args], COPY)

export const make = (...args: readonly string[]): Promise<string> => command('make', args, COPY)

/** Fails and says what to install where there is no engine: nothing here can be shown without one. */
export async function needEngine(): Promise<void> {
  try {
    await docker('info')
  } catch (error) {
    throw new Error('no container engine answers. Install docker and start it.', { cause: error })
  }
}

/** The stack of the copy is reached at this port of 127.0.0.1. */
export async function copyCheckout(port: number): Promise<void> {
  const isOwn = (file: string): boolean => file !== path.join(CHECKOUT, 'deploy/pki')
  for (const name of NEEDED) {
    const [from, to] = [path.join(CHECKOUT, name), path.join(COPY, name)]
    await cp(from, to, { recursive: true, preserveTimestamps: true, filter: isOwn })
  }
  await symlink(path.join(CHECKOUT, 'node_modules'), path.join(COPY, 'node_modules'))
  await edit('docker-compose.yml', [
    [/^name: quarterdeck$/m, `name: ${NAME}`],
    [/\bimage: quarterdeck$/gm, `image: ${NAME}`],
    ['127.0.0.1:6443:6443', `127.0.0.1:${port}:6443`],
    [/127\.0\.0\.1:(9090|3000):/g, '127.0.0.1::'],
  ])
  await edit('Makefile', [['-t quarterdeck ', `-t ${NAME} `]])
}

async function edit(name: string, changes: readonly (readonly [RegExp | string, string])[]): Promise<void> {
  const file = path.join(COPY, name)
  let text = await readFile(file, 'utf8')
  for (const [from, to] of changes) {
    const changed = text.replace(from, to)
    if (changed === text) throw new Error(`${name} does not have ${from}`)
    text = changed
  }
  await writeFile(file, text)
}
