// Removes from an extension's process the access that Node's permission model allows: the network, signals to other processes, and the
// built-in modules that lead to either. The extension runs in the same realm as this code, and may replace every method that this code
// looks up later.
import fs, { writeSync } from 'node:fs'
import Module from 'node:module'
import os from 'node:os'
import { Readable, Writable } from 'node:stream'

/** Built-in modules without a way to other processes and hosts. The permission model guards `fs`. */
const HARMLESS =
  'assert assert/strict async_hooks buffer console constants crypto diagnostics_channel events fs fs/promises module os path ' +
  'path/posix path/win32 perf_hooks process punycode querystring readline readline/promises stream stream/consumers ' +
  'stream/promises stream/web string_decoder sys timers timers/promises url util util/types zlib'
const NETWORK = 'dgram dns dns/promises http http2 https net tls'
/** The result of `stat` in Node's module loader for a missing file. */
const NOT_FOUND = -2
/** Globals that load Node's HTTP client and so put it into a property of `globalThis`. */
const CLIENTS = 'fetch FormData Headers Request Response MessageEvent WebSocket CloseEvent EventSource'
const OF_PROCESS =
  'kill _kill _debugProcess _debugEnd dlopen execve binding _linkedBinding _getActiveHandles _getActiveRequests openStdin report'

/** Throws for the name or URL of a built-in module that extensions may not load. */
export type LoadGuard = (module: string) => void

/** A guard that uses nothing that an extension could replace. */
export function loadGuard(network: boolean): LoadGuard {
  const names = (network ? `${HARMLESS} ${NETWORK}` : HARMLESS).split(' ')
  const allowed = Object.assign(
    Object.create(null),
    ...names.map((name) => ({ [name]: 1, [`node:${name}`]: 1 })),
  ) as object
  return (module) => {
    if (module in allowed) return
    throw new Error(
      `extensions may not use ${module}; --extensions-network opens the network to them, and nothing else`,
    )
  }
}

/** Whether the permission model lets the process read a file. */
export function readGuard(): (file: string) => boolean {
  const has = process.permission.has.bind(process.permission, 'fs.read')
  return (file) => has(file)
}

/** Call this before any code of the extension is loaded. No code can undo it. */
export function confine(network: boolean, guard: LoadGuard): void {
  const find = process.getBuiltinModule.bind(process)
  process.getBuiltinModule = (name: string) => {
    guard(name)
    return find(name)
  }
  // The fourth parameter is internal to Node: it would load another module than the guard checks.
  const { apply } = Reflect
  const load = Reflect.get(Module, '_load') as (...given: readonly unknown[]) => unknown
  const value = (request: unknown, parent: unknown, isMain: unknown): unknown =>
    apply(load, Module, [request, parent, isMain])
  Object.defineProperty(Module, '_load', { value, writable: false, configurable: false })
  // Node's permission model does not check these functions. They tell which files exist.
  const [mayRead, stat] = [readGuard(), Reflect.get(Module, '_stat') as (file: string) => number]
  Reflect.set(Module, '_stat', (file: string) => (mayRead(file) ? stat(file) : NOT_FOUND))
  const { native } = fs.realpathSync
  fs.realpathSync = Object.assign(native, { native })
  remove(Module, 'registerHooks register findPackageJSON')
  remove(process, OF_PROCESS)
  remove(os, 'setPriority')
  if (!network) {
    remove(globalThis, CLIENTS)
    remove(Reflect.get(globalThis, 'WebAssembly') as object, 'compileStreaming instantiateStreaming')
  } else closeUnixSockets()
  // Node's standard streams are sockets: with their class, an extension could connect.
  const streams = { stdin: Readable.from([]), stdout: outputTo(1), stderr: outputTo(2) }
  for (const [name, value] of Object.entries(streams)) Object.defineProperty(process, name, { value })
  Module.syncBuiltinESMExports()
}

/** Unix sockets lead to other programs, such as container runtimes. Their class in Node is reachable only through a socket. */
function closeUnixSockets(): void {
  const socket = process.getBuiltinModule('node:net').connect('/nowhere')
  const prototype = Object.getPrototypeOf(Reflect.get(socket, '_handle')) as object
  socket.on('error', () => {}).destroy()
  const value = (): never => {
    throw new Error('extensions may not use Unix sockets; --extensions-network opens hosts and ports to them')
  }
  for (const name of ['connect', 'bind', 'open']) Object.defineProperty(prototype, name, { value })
}

function remove(owner: object, names: string): void {
  for (const name of names.split(' ')) Reflect.deleteProperty(owner, name)
}

function outputTo(fd: number): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      writeSync(fd, chunk)
      done()
    },
  })
}
