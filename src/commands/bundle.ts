// `quarterdeck bundle FILE`: what a bug report needs of a running server, as one text that its sender can read. Objects are counted and not
// shown, so that no secret is in it; what looks like a credential is blotted out all the same.
import os from 'node:os'
import { Client } from '../client/client.ts'
import { failureOf, reasonOf, StartError, usageError } from '../config/start-error.ts'
import { printable } from '../lib/printable.ts'
import { programVersion } from '../server/version.ts'
import { readCommandLine } from './command-flags.ts'
import { formatDiagnosis } from './doctor-findings.ts'
import { examineServer } from './doctor-server.ts'
import { checkTarget, writeWhole } from './output-file.ts'
import { inOneLine, print, printBytes } from './output.ts'
import { connectionOf } from './server-flags.ts'

/** All of them text, or JSON of what is served. */
const PAGES: readonly string[] = [
  '/version',
  '/livez?verbose',
  '/readyz?verbose',
  '/statusz',
  '/flagz',
  '/apis',
  '/debug/watchers',
  '/metrics',
]

const CREDENTIALS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*-----END [A-Z ]*PRIVATE KEY-----/g,
  /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  /(?<=\bBearer )\S+/gi,
  /(?<=(?:token|password|secret)["']?[=:] ?["']?)[^\s"',}]{8,}/gi,
  /(?<=\/\/)[^/\s:@]+:[^/\s@]+(?=@)/g,
]

/** Resolves with the exit code: 0 also where parts of it could not be had, which it says. */
export async function runBundle(args: readonly string[]): Promise<number> {
  const wanted = 'give one file to write, or - for standard output'
  const { read, operands } = readCommandLine('bundle', args, { most: 1, wanted })
  const [file] = operands
  if (file === undefined) throw usageError(`${wanted}; see quarterdeck bundle --help`)
  if (file !== '-') checkTarget(file, read.switch('overwrite'))
  const sections = [`==> program\n${describeMachine()}`]
  try {
    const connection = connectionOf(read)
    using client = new Client({ ...connection, userAgent: 'quarterdeck-bundle', retries: 1 })
    // Without a server there is nothing to tell.
    await client.request({ method: 'GET', path: '/version' })
    for (const page of PAGES) sections.push(`==> ${page}\n${await orReason(() => readPage(client, page))}`)
    const examined = async (): Promise<string> => formatDiagnosis(await examineServer(client, connection, false))
    sections.push(`==> quarterdeck doctor\n${await orReason(examined)}`)
    const text = Buffer.from(withoutCredentials(`${sections.map(printable).join('\n\n')}\n`))
    if (file === '-') await printBytes(text)
    else {
      await writeWhole(file, (draft) => draft.appendFile(text))
      print(
        `${inOneLine(`${file}: ${text.length} bytes about ${connection.url} were written; read it before you send it`)}\n`,
      )
    }
  } catch (error) {
    throw error instanceof StartError ? error : new StartError(failureOf(error), { cause: error })
  }
  return 0
}

function describeMachine(): string {
  const gigabytes = (os.totalmem() / 1e9).toFixed(1)
  return [
    `quarterdeck ${programVersion()}, Node.js ${process.version}`,
    `${os.type()} ${os.release()} ${os.arch()}, ${os.availableParallelism()} processors, ${gigabytes} GB`,
  ].join('\n')
}

async function readPage(client: Client, page: string): Promise<string> {
  const [path = '', verbose] = page.split('?')
  const query = verbose === undefined ? {} : { verbose: true }
  // The pages about the server itself are text, and nothing else.
  const accept = path === '/version' || path === '/apis' ? 'application/json' : 'text/plain'
  return (await client.request({ method: 'GET', path, query, headers: { accept } })).text.trimEnd()
}

async function orReason(work: () => Promise<string>): Promise<string> {
  try {
    return await work()
  } catch (error) {
    return `(${reasonOf(error)})`
  }
}

export function withoutCredentials(text: string): string {
  return CREDENTIALS.reduce((shown, pattern) => shown.replace(pattern, '(removed)'), text)
}
