// A server with extensions in a folder, for tests.
import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { type ApiStatusError, k8s } from '../../src/client/client.ts'
import { type Log, type Server, startServer } from '../../src/index.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

/** Long enough for a busy machine; what loops is waited for so long. */
export const SECONDS = 2

/** An extension that asks about config maps; `body` has their name and the object. */
export const admits = (name: string, body: string): string => `
import { k8s } from 'quarterdeck/client'
import { defineExtension } from 'quarterdeck/extensions'

export default defineExtension((server) => {
  server.admit({ name: '${name}', resource: k8s.ConfigMap, timeoutSeconds: ${SECONDS} }, ({ object }) => {
    const name: string = object.metadata.name ?? ''
    ${body}
  })
})
`

export const denies = (name: string): string =>
  `if (name.startsWith('${name}')) return { allowed: false, message: 'no ${name}' }`

export interface ServerWithExtensions {
  readonly server: Server
  readonly folder: string
  /** What is told of extensions after they are loaded. */
  readonly logged: string[]
  /** What extensions have printed. */
  readonly printed: string[]
  /** The answer to a new config map: `ok`, or why not. */
  readonly create: (name: string) => Promise<string>
  /** The same, by a name that begins so. */
  readonly createAnother: (name: string) => Promise<string>
}

/** Until the end of the test. */
export async function startWithExtensions(files: Readonly<Record<string, string>>): Promise<ServerWithExtensions> {
  const folder = await tempFolder()
  for (const [name, text] of Object.entries(files)) await writeExtension(folder, name, text)
  const started = await startOnFolder(folder)
  onTestFinished(() => started.server.stop())
  return started
}

export async function startOnFolder(
  folder: string,
  flags: Readonly<Record<string, string | boolean>> = {},
): Promise<ServerWithExtensions> {
  const logged: string[] = []
  const printed: string[] = []
  const note = (fields: object, message: string): void => {
    const { extension, err, reason, text } = fields as Record<'extension' | 'reason' | 'text', string> & { err?: Error }
    if (message === 'extension printed') printed.push(text)
    else if (extension !== undefined && message !== 'loaded extension')
      logged.push(`${message}: ${extension}: ${String(err ?? reason ?? '')}`)
  }
  const log: Log = { debug: () => {}, info: note, warn: note, error: note }
  const server = await startServer({ flags: { extensions: folder, ...flags }, log })
  const maps = server.client().resource(k8s.ConfigMap).inNamespace('default')
  const create = (name: string): Promise<string> =>
    maps.create({ metadata: { name } }).then(
      () => 'ok',
      (error: ApiStatusError) => error.message.split(': ').slice(1).join(': '),
    )
  let made = 0
  return { server, folder, logged, printed, create, createAnother: (name) => create(`${name}-${++made}`) }
}

export async function writeExtension(folder: string, name: string, text: string): Promise<void> {
  const file = path.join(folder, name)
  await mkdir(path.dirname(file), { recursive: true })
  // At once, so that a server never reads half of it.
  const written = `${file}.${++writes}`
  await writeFile(written, text)
  await rename(written, file)
}

let writes = 0
