// `quarterdeck bundle FILE`: writes the state of a running server for a bug report, as a text that its sender can read. Objects are counted
// and not shown, so that the text has no secrets. Texts that look like credentials are removed too.
import os from 'node:os'
import { Client } from '../client/client.ts'
import { failureOf, reasonOf, StartError } from '../config/start-error.ts'
import { printable } from '../lib/printable.ts'
import { programVersion } from '../telemetry/version.ts'
import { readCommandLine } from './command-flags.ts'
import { formatDiagnosis } from './doctor-findings.ts'
import { examineServer } from './doctor-server.ts'
import { checkTarget, writeWhole } from './output-file.ts'
import { inOneLine, print, printBytes } from './output.ts'
import { connectionOf } from './server-flags.ts'

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

/** The exit code is 0 even if some pages failed. The text has the reasons. */
export async function runBundle(args: readonly string[]): Promise<number> {
  const wanted = 'give one file to write, or - for standard output'
  const { read, operands } = readCommandLine('bundle', args, { least: 1, most: 1, wanted })
  const [file = ''] = operands
  checkTarget(file, read.switch('overwrite'), read.given(['kubeconfig']))
  const sections = [`==> program\n${describeMachine()}`]
  try {
    const connection = connectionOf(read)
    using client = new Client({ ...connection, userAgent: 'quarterdeck-bundle', retries: 1 })
    // Fails if there is no server.
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
  // The other pages are text only.
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
