// The call stack of a process that does not answer, read by Node's debugger. A signal opens the debugger in a thread of its own, even while
// the process computes. The debugger costs nothing until then. A thread of our own that waits for such a case would take megabytes. Only a
// reader of the standard error of the process learns the address of the debugger, which is as good as a password.

/** The debugger opens on a free port of this machine, and no other process learns its address. */
export const DEBUGGER_FLAGS: readonly string[] = ['--inspect-port=127.0.0.1:0', '--inspect-publish-uid=stderr']
/** If the process has no listener for this signal, Node opens its debugger. */
export const DEBUGGER_SIGNAL = 'SIGUSR1'

const SAID_BY_DEBUGGER =
  /^(Debugger (listening on (?<address>ws:\S+)|attached\.|ending on )|For help, see: https:\/\/nodejs\.org\/|Waiting for the debugger to disconnect|Starting inspector on )/

const FRAMES = 10

/** The address in a line of the debugger, if the line has one. Undefined: the line is not the debugger's. */
export function debuggerLine(line: string): { readonly address: string | undefined } | undefined {
  const found = SAID_BY_DEBUGGER.exec(line)
  return found === null ? undefined : { address: found.groups?.['address'] }
}

interface CallFrame {
  readonly functionName: string
  readonly location: { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber: number }
}

type DebuggerMessage =
  | { readonly method: 'Debugger.scriptParsed'; readonly params: { readonly scriptId: string; readonly url: string } }
  | { readonly method: 'Debugger.paused'; readonly params: { readonly callFrames: readonly CallFrame[] } }
  | { readonly method?: undefined }

/** Pauses the process and returns its innermost calls, one a line. Undefined if it does not pause in time. */
export function callStackAt(address: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
  const { promise, resolve } = Promise.withResolvers<readonly string[] | undefined>()
  const files = new Map<string, string>()
  const socket = new WebSocket(address)
  const giveUp = (): void => resolve(undefined)
  signal.addEventListener('abort', giveUp, { once: true })
  socket.addEventListener('error', giveUp)
  socket.addEventListener('close', giveUp)
  socket.addEventListener('open', () => {
    for (const [id, method] of ['Debugger.enable', 'Debugger.pause'].entries()) {
      socket.send(JSON.stringify({ id: id + 1, method }))
    }
  })
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as DebuggerMessage
    if (message.method === 'Debugger.scriptParsed') files.set(message.params.scriptId, message.params.url)
    if (message.method === 'Debugger.paused') {
      resolve(message.params.callFrames.slice(0, FRAMES).map((frame) => lineOf(frame, files)))
    }
  })
  return promise.finally(() => {
    signal.removeEventListener('abort', giveUp)
    socket.close()
  })
}

function lineOf({ functionName, location }: CallFrame, files: ReadonlyMap<string, string>): string {
  const { scriptId, lineNumber, columnNumber } = location
  const place = `${files.get(scriptId) ?? ''}:${lineNumber + 1}:${columnNumber + 1}`
  return `${functionName === '' ? '<anonymous>' : functionName} (${place})`
}
