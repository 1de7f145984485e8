// `quarterdeck console`: opens the web console in a browser that is logged in. The server makes a code for the token of the kubeconfig, and
// the page exchanges it for a session. Programs of other users can read the arguments of a process, so the browser gets a file that only
// this user can read. The file has the code. In a link the code is after `#`, which browsers send to no server.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseJsonText } from '../api/json-text.ts'
import { Client, type ConnectionOptions } from '../client/client.ts'
import { defaultDataDirectory, type Environment } from '../config/config.ts'
import { makePrivateDirectory, writePrivateFile } from '../config/files.ts'
import { failureOf } from '../config/start-error.ts'
import { isLoopbackHost } from '../lib/loopback-host.ts'
import { readCommandLine } from './command-flags.ts'
import { complain, print } from './output.ts'
import { connectionOf, type ServerFlags } from './server-flags.ts'

/** After this time, a browser that failed has ended. A browser that this command has started is still running. */
const STARTED_WITHIN_MS = 3000

/** The exit code is 1 if the server refuses, or no browser can be started. */
export async function runConsole(args: readonly string[], environment: Environment): Promise<number> {
  const { read } = readCommandLine('console', args)
  try {
    const connection = connectionTo(read, environment)
    const { origin, host } = new URL(connection.url)
    if (!isLoopbackHost(host)) {
      throw new Error(
        `${origin} is not on this machine: open ${origin}/console/ and log in with the token of your kubeconfig`,
      )
    }
    const link = `${origin}/console/#code=${await codeFrom(connection)}`
    if (read.switch('print-url')) print(`${link}\n`)
    else await openBrowser(link, environment)
    return 0
  } catch (error) {
    complain(`quarterdeck console: ${failureOf(error)}\n`)
    return 1
  }
}

/** The kubeconfig of a local server with the default data directory. Undefined: there is none, or the user names another server. */
export function consoleKubeconfig(environment: Environment): string | undefined {
  const file = path.join(defaultDataDirectory(environment), 'admin.kubeconfig')
  return (environment['KUBECONFIG'] ?? '') === '' && existsSync(file) ? file : undefined
}

function connectionTo(read: ServerFlags, environment: Environment): ConnectionOptions {
  return connectionOf({
    text: (name) => read.text(name) ?? (name === 'kubeconfig' ? consoleKubeconfig(environment) : undefined),
  })
}

async function codeFrom(connection: ConnectionOptions): Promise<string> {
  using client = new Client({ ...connection, userAgent: 'quarterdeck-console' })
  const { text } = await client.request({ method: 'POST', path: '/console/code', body: '{}' })
  const { code } = parseJsonText(text) as { readonly code?: unknown }
  if (typeof code !== 'string' || !/^[\w-]+$/.test(code)) throw new Error('the server has no console: it gave no code')
  return code
}

async function openBrowser(link: string, environment: Environment): Promise<void> {
  const file = await pageFor(link, environment)
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const browser = spawn(opener, [pathToFileURL(file).href], { stdio: 'ignore', detached: true })
  const otherwise = 'quarterdeck console --print-url prints a link that works once'
  await once(browser, 'spawn').catch((cause: unknown) => {
    throw new Error(`there is no ${opener} to start a browser with; ${otherwise}`, { cause })
  })
  const ended = await Promise.race([once(browser, 'exit'), pause(STARTED_WITHIN_MS, undefined, { ref: false })])
  if (ended !== undefined && ended[0] !== 0) throw new Error(`${opener} could not open a browser; ${otherwise}`)
  browser.unref()
  print(`Opened the console of ${new URL(link).origin} in the browser. If no page appears: ${otherwise}.\n`)
}

/** Writes a page that forwards to the link. The next call overwrites the page, and the code expires in two minutes. */
async function pageFor(link: string, environment: Environment): Promise<string> {
  const runtime = environment['XDG_RUNTIME_DIR'] ?? ''
  const folder = path.isAbsolute(runtime) ? runtime : defaultDataDirectory(environment)
  if (folder !== runtime) makePrivateDirectory(folder, 'the data directory')
  const file = path.join(folder, 'quarterdeck-console.html')
  writePrivateFile(
    file,
    `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Quarterdeck</title><meta http-equiv="refresh" content="0; url=${link}"><a href="${link}">Open the console</a>\n`,
  )
  return file
}
