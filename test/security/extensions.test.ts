// What an extension may do beside answering: read its folder, and nothing else. Each row is code of an extension that tries more.
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getPriority, tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { admits, denies, startOnFolder, startWithExtensions, writeExtension } from '../fakes/extension-server.ts'

const SECRET = 'the-token-of-the-server'

/** Each returns what it got, where it got something. */
const FILES: Readonly<Record<string, string>> = {
  'a file of the server': `return fs.readFileSync(secret, 'utf8')`,
  'a file by a promise': `return fs.promises.readFile(secret, 'utf8')`,
  'a file by a path with dots': `return fs.readFileSync(folder + '/../secrets/token.json', 'utf8')`,
  'a file by a path in bytes': `return fs.readFileSync(Buffer.from(secret), 'utf8')`,
  'a file by a URL': `return fs.readFileSync(new URL('../secrets/token.json', import.meta.url), 'utf8')`,
  'a file by a descriptor': `return fs.readFileSync(fs.openSync(secret, 'r'), 'utf8')`,
  'a file as a blob': `return (await fs.openAsBlob(secret)).text()`,
  'a file by a stream': `for await (const piece of fs.createReadStream(secret)) return String(piece)`,
  'a file by require': `return JSON.stringify(require(secret))`,
  'a file by import': `return JSON.stringify((await import(secret, { with: { type: 'json' } })).default)`,
  'a file by a link of its own': `fs.symlinkSync(secret, folder + '/link'); return fs.readFileSync(folder + '/link', 'utf8')`,
  'a file by a copy of its own': `fs.copyFileSync(secret, folder + '/copy'); return fs.readFileSync(folder + '/copy', 'utf8')`,
  'a file by a hard link': `fs.linkSync(secret, folder + '/hard'); return fs.readFileSync(folder + '/hard', 'utf8')`,
  'a file of variables': `process.loadEnvFile(secret); return JSON.stringify(process.env)`,
  'the names in a folder': `return fs.readdirSync(folder + '/..').join()`,
  'its own folder, to write there': `fs.writeFileSync(folder + '/new.ts', ''); return 'written'`,
  'the variables of the server': `return fs.readFileSync('/proc/' + process.ppid + '/environ', 'utf8')`,
  variables: `if (Object.keys(process.env).length > 0) return JSON.stringify(process.env)
    throw new Error('none')`,
  'files that the server has open': `const kinds = []
    for (let fd = 4; fd < 1024; fd++) {
      try { const stat = fs.fstatSync(fd); if (stat.isFile() || stat.isSocket() || stat.isDirectory()) kinds.push(fd) } catch {}
    }
    if (kinds.length > 0) return kinds.join()
    throw new Error('none')`,
  'a report about the process': `return JSON.stringify(process.report.getReport().environmentVariables)`,
}

/** Each fails alike for a file outside of the folder that is there and for one that is not. */
const NAMES: Readonly<Record<string, string>> = {
  'require.resolve': `return require.resolve(file)`,
  'require of another place': `return module.createRequire(file).resolve('./' + file.split('/').at(-1))`,
  'a package of another place': `return module.createRequire(file + '/index.js').resolve('greedy')`,
  import: `return import(file)`,
  'a path in a URL': `return import('file://' + file)`,
  'import.meta': `import.meta.resolve(file); fail()`,
  'the loader': `return module.Module._findPath(file, null) || fail()`,
  'a look of the loader': `if (module.Module._stat(file) >= 0) return 'there'; fail()`,
  'a description of a package': `return module.findPackageJSON('..', 'file://' + file + '/a')`,
  'its real path': `return fs.realpathSync(file)`,
  'its real path, later': `return new Promise((resolve, reject) => fs.realpath(file, (error, found) => error ? reject(error) : resolve(found)))`,
  'whether it exists': `return fs.existsSync(file) || fail()`,
  'a folder to go to': `process.chdir(file); return 'gone'`,
}

const PROCESSES: Readonly<Record<string, string>> = {
  'another program': `return (await import('node:child_process')).execFileSync('/bin/echo', ['hello']).toString()`,
  'another program, by require': `return require('child_process').execFileSync('/bin/echo', ['hello']).toString()`,
  'another program, by its process': `process.execve('/bin/echo', ['hello'], {}); return 'hello'`,
  'another program, by bindings': `return Object.keys(process.binding('spawn_sync')).join()`,
  'another program, by a built-in module': `return process.getBuiltinModule('child_process').execSync('echo hello').toString()`,
  'another program, by the loader': `return module.Module._load('child_process').execSync('echo hello').toString()`,
  'a cluster': `return Object.keys(await import('node:cluster')).join()`,
  'a thread': `return Object.keys(await import('node:worker_threads')).join()`,
  'a thread, by require': `return Object.keys(require('worker_threads')).join()`,
  'a loader in a thread': `module.register('data:text/javascript,'); return 'registered'`,
  'native code': `process.dlopen({ exports: {} }, '/nowhere.node'); return 'loaded'`,
  'native code, by require': `fs.constants; return require(folder + '/native.node')`,
  'native code, by OpenSSL': `require('crypto').setEngine('/nowhere.so'); return 'loaded'`,
  'the debugger': `return Object.keys(await import('node:inspector')).join()`,
  'the debugger of the server': `process._debugProcess(process.ppid); return 'started'`,
  'a signal to the server': `process.kill(process.ppid, 0); return 'sent'`,
  'a signal to the server, by what is below': `process._kill(process.ppid, 0); return 'sent'`,
  'a signal to the server, by an import': `const { kill } = await import('node:process'); kill(process.ppid, 0); return 'sent'`,
  'the priority of the server': `(await import('node:os')).setPriority(process.ppid, 19); return 'set'`,
  'a database': `return Object.keys(require('node:sqlite')).join()`,
  'flags of V8': `return Object.keys(require('node:v8')).join()`,
  'a channel to the server': `process.send({}); return 'sent'`,
  WASI: `return Object.keys(require('node:wasi')).join()`,
  'a test runner': `return Object.keys(require('node:test')).join()`,
  'right to any of that': `return ['child', 'worker', 'addon', 'wasi', 'inspector', 'fs.write'].find((each) => process.permission.has(each)) ?? fail()`,
  internals: `return Object.keys(require('internal/bootstrap/realm')).join()`,
  'linked bindings': `return Object.keys(process._linkedBinding('tcp_wrap')).join()`,
}

const OWN_NAME = 'a name of its own:'
const NETWORK: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    'net tls http https http2 dgram dns dns/promises tty _http_client _http_agent _tls_wrap _stream_wrap'
      .split(' ')
      .flatMap((name) => [
        [`${name}, by import`, `return Object.keys(await import('node:${name}')).join()`],
        [`${name}, by require`, `return Object.keys(require('${name}')).join()`],
        [`${name}, by getBuiltinModule`, `return Object.keys(process.getBuiltinModule('${name}')).join()`],
      ]),
  ),
  fetch: `return (await fetch(url)).text()`,
  'fetch, found by a class of its own': `new Response(); return Object.keys(dispatcher()).join()`,
  'fetch, found by WebAssembly': `await WebAssembly.compileStreaming(1).catch(() => {}); return Object.keys(dispatcher()).join()`,
  WebSocket: `new WebSocket(url.replace('http', 'ws')); return 'made'`,
  EventSource: `new EventSource(url); return 'made'`,
  'the class of an output': `return String(new process.stdout.constructor().connect)`.replace('String', 'isFunction'),
  'the class of the input': `return isFunction(new process.stdin.constructor().connect)`,
  'the class of the output of the console': `return isFunction(new console._stdout.constructor().connect)`,
  'the handles of the process': `return process._getActiveHandles().length`,
  'the loader, with a prefix': `return Object.keys(module.Module._load('node:net')).join()`,
  'the loader, with a place of its own': `return Object.keys(module.Module._load('net', null, false, { resolved: { url: 'node:fs', filename: 'net', format: 'builtin' } })).join()`,
  ...Object.fromEntries(
    ['NODE:net', ' node:net', 'Node:net', '\\tnode:net', 'no\\tde:net', 'node:%6eet', 'file:net'].map((each) => [
      `${OWN_NAME} ${each}`,
      `return Object.keys(await import('${each}')).join()`,
    ]),
  ),
  'a format that its files inherit': `const { has } = Map.prototype
    const href = Object.getOwnPropertyDescriptor(URL.prototype, 'href')
    Map.prototype.has = () => true
    Object.prototype.format = 'builtin'
    Object.defineProperty(URL.prototype, 'href', { ...href, get: () => 'data:net' })
    try { return Object.keys(await import('./a.ts')).join() } finally {
      Map.prototype.has = has; delete Object.prototype.format; Object.defineProperty(URL.prototype, 'href', href)
    }`,
  'methods that say where a module is': `const [map, get, href, test, starts] = [Map.prototype.has, Map.prototype.get, Object.getOwnPropertyDescriptor(URL.prototype, 'href'), RegExp.prototype.test, String.prototype.startsWith]
    Map.prototype.has = RegExp.prototype.test = String.prototype.startsWith = () => true
    Array.prototype.includes = () => true
    Map.prototype.get = () => undefined
    Object.defineProperty(URL.prototype, 'href', { ...href, get: () => 'NODE:net' })
    try { return Object.keys(await import('./b.ts')).join() } finally {
      Map.prototype.has = map; Map.prototype.get = get; RegExp.prototype.test = test; String.prototype.startsWith = starts; Object.defineProperty(URL.prototype, 'href', href)
    }`,
  'the loader, told otherwise': `const { _resolveFilename } = module.Module
    module.Module._resolveFilename = () => 'node:net'
    try { return Object.keys(require('fs')).join().includes('createServer') ? 'net' : fail() } finally { module.Module._resolveFilename = _resolveFilename }`,
  'hooks of the loader': `module.registerHooks({ resolve: () => ({ url: 'node:net', shortCircuit: true }),
      load: () => ({ format: 'builtin', shortCircuit: true }) })
    return Object.keys(await import('anything')).join()`,
  'a module in a URL': `return (await import('data:text/javascript,import * as net from "node:net"; export default Object.keys(net).join()')).default`,
  'a package': `return require('greedy')`,
  'a package that asks its module': `return require('greedy/module')`,
  'methods that lie': `const [set, map, test, starts, own] = [Set.prototype.has, Map.prototype.has, RegExp.prototype.test, String.prototype.startsWith, Object.hasOwn]
    Set.prototype.has = Map.prototype.has = RegExp.prototype.test = Object.hasOwn = () => true
    String.prototype.startsWith = () => false
    try { return Object.keys(process.getBuiltinModule('net')).join() } finally {
      Set.prototype.has = set; Map.prototype.has = map; RegExp.prototype.test = test; String.prototype.startsWith = starts; Object.hasOwn = own
    }`,
  'methods that lie to the loader': `const [map, get, href, parse] = [Map.prototype.has, Map.prototype.get, Object.getOwnPropertyDescriptor(URL.prototype, 'href'), URL.canParse]
    Map.prototype.has = URL.canParse = () => true
    Map.prototype.get = () => undefined
    Object.defineProperty(URL.prototype, 'href', { ...href, get: () => 'node:net' })
    try { return Object.keys(require('./a.ts')).join() } finally {
      Map.prototype.has = map; Map.prototype.get = get; URL.canParse = parse; Object.defineProperty(URL.prototype, 'href', href)
    }`,
  'the resource of what runs': `const { executionAsyncResource } = await import('node:async_hooks')
    return isFunction(found.map(({ constructor }) => constructor.prototype?.connect).find(Boolean) ?? executionAsyncResource()?.constructor?.prototype?.connect)`,
  'the callers of its functions': `Error.prepareStackTrace = (_, sites) => sites
    const sites = new Error().stack
    delete Error.prepareStackTrace
    return isFunction(sites.map((site) => site.getThis() ?? site.getFunction()).find((each) => each !== undefined && each !== globalThis))`,
  'whoever emits events': `return isFunction(found.map((each) => each.connect ?? each.terminate).find(Boolean))`,
}

/** An extension that makes the attempt which is named, and tells what came of it. */
function attempts(rows: Readonly<Record<string, string>>): string {
  const tried = Object.values(rows).map((code) => `async () => { ${code} }`)
  return `
import events from 'node:events'
import { createHook, executionAsyncResource } from 'node:async_hooks'
import * as fs from 'node:fs'
import * as module from 'node:module'
import * as data from './data.mjs'

const require = module.createRequire(import.meta.url)
const { secret, folder, url, unix } = data
const fail = () => { throw new Error('nothing') }
const isFunction = (value) => (typeof value === 'function' ? 'a function' : fail())
const dispatcher = () => globalThis[Symbol.for('undici.globalDispatcher.1')] ?? fail()
/** What could be found while other code runs. */
const found = []
const { emit } = events.prototype
events.prototype.emit = function (...args) { found.push(this); return emit.apply(this, args) }
try { createHook({ init: (_id, _type, _trigger, resource) => { found.push(resource) }, before: () => { found.push(executionAsyncResource()) } }).enable() } catch {}
const tried = [${tried.join(',\n')}]

export default (server) => server.admit({ name: 'a', rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }], timeoutSeconds: 30 },
  async ({ object }) => {
    try {
      const got = await tried[Number(object.data.attempt)]()
      return { allowed: false, message: 'got ' + got }
    } catch (error) {
      return { allowed: false, message: 'failed: ' + (error?.message ?? error) }
    }
  })
`
}

interface Tried {
  readonly attempt: (rows: Readonly<Record<string, string>>, title: string) => Promise<string>
  readonly folder: string
  readonly stop: () => Promise<void>
}

let backend: Server
let url = ''
beforeAll(async () => {
  backend = createServer((_request, response) => response.end('hello'))
  backend.listen(0, '127.0.0.1')
  await once(backend, 'listening')
  url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`
})
afterAll(() => backend?.close())

async function startAttempts(rows: Readonly<Record<string, string>>, flags = {}): Promise<Tried> {
  const above = await mkdtemp(path.join(tmpdir(), 'quarterdeck-confined-'))
  const folder = path.join(above, 'extensions')
  const secret = path.join(above, 'secrets', 'token.json')
  await writeExtension(path.dirname(secret), 'token.json', JSON.stringify({ TOKEN: SECRET }))
  await writeExtension(folder, 'a.ts', attempts(rows).replace('./data.mjs', './lib/data.mjs'))
  const data = Object.entries({ secret, folder, url, unix: path.join(above, 'unix') }).map(
    ([name, text]) => `export const ${name} = '${text}'`,
  )
  await writeExtension(folder, 'lib/data.mjs', data.join('\n'))
  await writeExtension(folder, 'native.node', '')
  const greedy = 'node_modules/greedy'
  await writeExtension(folder, `${greedy}/package.json`, '{"name":"greedy","main":"index.js"}')
  await writeExtension(folder, `${greedy}/index.js`, "module.exports = Object.keys(require('net')).join()")
  const asksModule = "module.exports = Object.keys(module.constructor._load('net', module)).join()"
  await writeExtension(folder, `${greedy}/module.js`, asksModule)
  await writeExtension(folder, 'node_modules/modest/index.js', 'module.exports = { answer: 42 }')
  const { server } = await startOnFolder(folder, flags)
  const maps = server
    .client()
    .resource<never>({ group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true })
  return {
    folder,
    attempt: async (all, title) => {
      const attempt = String(Object.keys(all).indexOf(title))
      const refused = await maps
        .inNamespace('default')
        .create({ metadata: { generateName: 'a-' }, data: { attempt } } as never)
        .then(
          () => 'ok',
          (error: Error) => error.message,
        )
      return refused.replace(/^.*denied the request: /s, '')
    },
    stop: async () => {
      await server.stop()
      await rm(above, { recursive: true })
    },
  }
}

describe.each([
  ['reads no', FILES],
  ['reaches no', PROCESSES],
  ['has no network by', NETWORK],
])('an extension %s', (_title, rows) => {
  let tried: Tried
  beforeAll(async () => void (tried = await startAttempts(rows)))
  afterAll(() => tried?.stop())

  it.each(Object.keys(rows))('%s', async (title) => {
    const message = await tried.attempt(rows, title)
    expect(message).toMatch(/^failed: /)
    expect(message).not.toContain(SECRET)
    // The server's own guard refuses these names, and not only the loader of this version of Node.
    if (title.startsWith(OWN_NAME)) expect(message).toMatch(/^failed: (extensions may not use|found no) /)
  })
})

describe('an extension learns nothing about files of others by', () => {
  const rows = Object.fromEntries(
    Object.entries(NAMES).flatMap(([title, code]) => [
      [`${title} (there)`, `const file = secret; ${code}`],
      [`${title} (not there)`, `const file = secret.replace('.json', '.none'); ${code}`],
    ]),
  )
  let tried: Tried
  beforeAll(async () => void (tried = await startAttempts(rows)))
  afterAll(() => tried?.stop())

  it.each(Object.keys(NAMES))('%s', async (title) => {
    const [there, notThere] = [
      await tried.attempt(rows, `${title} (there)`),
      await tried.attempt(rows, `${title} (not there)`),
    ]
    expect(there).toMatch(/^failed: /)
    expect(there.replaceAll('.json', '.none')).toBe(notThere)
  })
})

describe('an extension that may use the network reaches no Unix socket by', () => {
  const net = `const net = await import('node:net')
    const connected = (socket) => new Promise((resolve, reject) => socket.on('connect', () => resolve('connected')).on('error', reject))`
  const handle = `${net}; const socket = new net.Socket(); try { socket.connect(unix) } catch {}`
  const rows = {
    'a path': `${net}; return connected(net.connect(unix))`,
    options: `${net}; return connected(net.createConnection({ path: unix }))`,
    'a socket of its own': `${net}; return connected(new net.Socket().connect({ path: unix }))`,
    'an HTTP client': `const http = await import('node:http')
      return new Promise((resolve, reject) => http.get({ socketPath: unix, path: '/' }, ({ statusCode }) => resolve(statusCode)).on('error', reject))`,
    'an HTTP/2 client': `${net}; const http2 = await import('node:http2')
      return connected(http2.connect('http://a', { createConnection: () => net.connect(unix) }))`,
    'a TLS client': `const tls = await import('node:tls')
      return new Promise((resolve, reject) => tls.connect({ path: unix }).on('secureConnect', () => resolve('connected')).on('error', reject))`,
    'a handle of Node': `${handle}; return socket._handle.connect({}, unix)`,
    'a new handle of Node': `${handle}; return new socket._handle.constructor(0).connect({}, unix)`,
    'a server': `${net}; return new Promise((resolve, reject) => net.createServer().on('error', reject).listen(unix + '2', () => resolve('listens')))`,
  }
  let tried: Tried
  let unix: Server
  beforeAll(async () => {
    tried = await startAttempts(rows, { 'extensions-network': true })
    unix = createServer((_request, response) => response.end('hello')).listen(path.join(tried.folder, '..', 'unix'))
    await once(unix, 'listening')
  })
  afterAll(async () => {
    unix?.close()
    await tried?.stop()
  })

  it.each(Object.keys(rows))('%s', async (title) => {
    expect(await tried.attempt(rows, title)).toContain('failed: extensions may not use Unix sockets')
  })
})

describe('an extension has', () => {
  const rows = {
    'files of its folder': `return fs.readFileSync(folder + '/lib/data.mjs', 'utf8').length > 0 && fs.readdirSync(folder).length > 0`,
    'packages of its folder': `return require('modest').answer === 42 && (await import('modest')).default.answer === 42`,
    'an own client': `return typeof (await import('quarterdeck/client')).k8s.Pod === 'object'`,
    'the network with the flag': `return (await (await fetch(url)).text()) === 'hello'`,
    'connections with the flag': `const { connect } = await import('node:net')
      const socket = connect(new URL(url).port, '127.0.0.1')
      await events.once(socket, 'connect'); socket.destroy(); return true`,
    'no programs with the flag': `return await import('node:child_process').then(() => false, () => true)`,
    'no signals with the flag': `return process.kill === undefined && process._kill === undefined`,
  }
  let tried: Tried
  beforeAll(async () => void (tried = await startAttempts(rows, { 'extensions-network': true })))
  afterAll(() => tried?.stop())

  it.each(Object.keys(rows))('%s', async (title) => expect(await tried.attempt(rows, title)).toBe('got true'))
})

describe('an extension that misbehaves', () => {
  it('prints without end, and holds up nobody', async () => {
    const flood = `if (name === 'flood') for (;;) console.log('x'.repeat(1_000_000))`
    const { create, printed } = await startWithExtensions({
      'loud.ts': admits('loud', `${flood}\nif (name === 'once') console.log('\\u001b[2J hello')`),
      'other.ts': admits('other', denies('bad')),
    })
    expect(await create('once')).toBe('ok')
    await expect.poll(() => printed).toEqual(['\u001b[2J hello\n'])
    const flooding = create('flood')
    expect(await create('one')).toBe('ok')
    // At its deadline, or when it takes too much memory.
    expect(await flooding).toContain('failed calling webhook "loud"')
    // Ten pieces a second of eight kilobytes.
    expect(printed.length).toBeLessThan(100)
    expect(Math.max(...printed.map((text) => text.length))).toBeLessThanOrEqual(8192)
  })

  it('reports more than any answer has, or something else, or unasked, and costs its own request', async () => {
    const { create, createAnother, logged } = await startWithExtensions({
      'a.ts': `import fs from 'node:fs'\n${admits(
        'a',
        `if (name === 'huge') for (;;) fs.writeSync(3, Buffer.alloc(1 << 20, 32))
        if (name === 'odd') fs.writeSync(3, '{\\n')
        if (name === 'null') fs.writeSync(3, 'null\\n')
        if (name === 'number') fs.writeSync(3, '{"kind":"answer","review":7}\\n')
        if (name === 'other') fs.writeSync(3, '{"kind":"loaded","descriptions":[]}\\n')
        if (name === 'fault') fs.writeSync(3, '{"kind":"fault","message":{}}\\n')
        if (name === 'bytes') for (let i = 0; i < 300_000; i++) fs.writeSync(3, ' ')
        if (name === 'text') fs.writeSync(3, '{"kind":"answer","review":"{"}\\n')
        if (name === 'later') setTimeout(() => fs.writeSync(3, '{}\\n'), 1)`,
      )}`,
    })
    for (const name of ['huge', 'odd', 'null', 'number', 'other', 'fault', 'text']) {
      expect(await create(name)).toMatch(/^Internal error occurred: failed calling webhook "a": /)
      await expect.poll(() => createAnother('after')).toBe('ok')
    }
    const unasked = 'ended extension process: a.ts: Error: its process sent a report without being asked'
    expect(await create('later')).toBe('ok')
    await expect.poll(() => logged).toContainEqual(expect.stringContaining(unasked))
    await expect.poll(() => createAnother('after')).toBe('ok')
    expect(await createAnother('bytes')).toBe('ok')
    expect(logged[0]).toContain('a.ts: Error: its answer is larger than 16777216 bytes')
    for (const text of logged.slice(1, 6))
      expect(text).toContain('a.ts: Error: its process sent a report that cannot be read: ')
  })

  it.each<[string, unknown, RegExp]>([
    ['no function', [null], /a function is for admission, conversion or authorization$/],
    ['no list', {}, /its process sent a report that cannot be read: it does not answer an order$/],
    ['too many functions', Array.from({ length: 257 }, () => null), /cannot be read: it has more than 256 functions$/],
    ['too long a text', ['x'.repeat(1024 * 1024)], /its answer is larger than 1048576 bytes$/],
    [
      'a time without end',
      [
        {
          kind: 'admit',
          type: 'validating',
          webhook: { name: 'a', rules: [], timeoutSeconds: 1e9, sideEffects: 'None' },
        },
      ],
      /"a": its timeoutSeconds must be more than 0 and at most 30$/,
    ],
    [
      'an authorizer without a name',
      [{ kind: 'authorize' }],
      /authorization function: its name must have 1 to 253 characters$/,
    ],
  ])(
    'describes its functions past the code in its process, and is not loaded: %s',
    async (_title, descriptions, message) => {
      const report = JSON.stringify({ kind: 'loaded', descriptions })
      const lies = `import fs from 'node:fs'\nfs.writeSync(3, ${JSON.stringify(report)} + '\\n'); for (;;);`
      await expect(startWithExtensions({ 'a.mjs': lies })).rejects.toThrow(message)
    },
  )

  /** The tests may run at a lower priority themselves. */
  const SLOW = Math.max(10, getPriority())

  it('takes long, and yields the processors from then on', async () => {
    const { create } = await startWithExtensions({
      'a.ts': `import { getPriority } from 'node:os'\n${admits(
        'a',
        `const before = getPriority()
        while (name === 'slow' && getPriority() < 10);
        return { allowed: false, message: \`from \${before} to \${getPriority()}\` }`,
      )}`,
    })
    expect(await create('slow')).toContain(`from ${getPriority()} to ${SLOW}`)
  })

  it.each([
    ['takes long', 'await new Promise(() => {})'],
    ['has answered', ''],
  ])('computes in threads when it %s, and yields the processors with all of them', async (_title, then) => {
    const { create, printed } = await startWithExtensions({
      'a.ts': admits('a', 'console.log(`pid ${process.pid}`)\nreturn hog()').replace(
        'export default',
        `import { pbkdf2 } from 'node:crypto'
        const hog = async () => {
          for (let i = 0; i < 4; i++) pbkdf2('a', 'b', 2 ** 31 - 1, 64, 'sha512', () => {})
          ${then}
        }
        export default`,
      ),
    })
    const created = create('a')
    const pidOf = (text: string): string | undefined => /pid (\d+)/.exec(text)?.[1]
    await expect.poll(() => printed.some(pidOf)).toBe(true)
    const tasks = `/proc/${pidOf(printed.join())}/task`
    // The fields behind the name, which is in parentheses.
    const nicenessOf = (thread: string): string =>
      readFileSync(`${tasks}/${thread}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[16]!
    await expect
      .poll(() => [...new Set(readdirSync(tasks).map(nicenessOf))], { timeout: 10_000 })
      .toEqual([String(SLOW)])
    await created
  })

  it('loops in eight calls, and delays neither another extension nor requests of its own', async () => {
    // As plain as can be: what is measured is not how long processes take to start.
    const rules = "[{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }]"
    const admitting = (name: string, body: string): string => `export default (server) =>
      server.admit({ name: '${name}', rules: ${rules}, timeoutSeconds: 30 }, ({ object: { metadata: { name } } }) => { ${body} })`
    const { create } = await startWithExtensions({
      'looping.mjs': admitting('looping', "if (name.startsWith('loop')) for (;;);"),
      'other.mjs': admitting('other', denies('bad')),
    })
    const ended: string[] = []
    const loops = Array.from({ length: 8 }, (_, i) => create(`loop-${i}`).then((answer) => void ended.push(answer)))
    for (let i = 0; i < 20; i++) expect(await create(`other-${i}`)).toBe('ok')
    expect(await create('bad')).toContain('no bad')
    expect(ended).toEqual([])
    void Promise.allSettled(loops)
  })
})

describe('a folder of extensions with a link', () => {
  async function folderWith(link: string, target: string): Promise<string> {
    const { folder, server } = await startWithExtensions({ 'a.ts': admits('a', denies('bad')), 'lib/b.ts': '' })
    await server.stop()
    await symlink(target, path.join(folder, link))
    return folder
  }

  it.each([
    ['to a file outside', 'token', '/etc/passwd'],
    ['to a folder outside', 'lib/all', '/'],
    ['that is relative', 'lib/up', '../..'],
    ['that leads nowhere yet', 'later', '/nowhere/token'],
    ['in a hidden folder', 'lib/.up', '../..'],
  ])('%s is refused', async (_title, link, target) => {
    const folder = await folderWith(link, target)
    const message = `--extensions ${folder}: ${link}: the symbolic link leads out of the folder`
    await expect(startOnFolder(folder)).rejects.toThrow(message)
  })

  it('that stays inside is loaded, as mounted configuration has them', async () => {
    const folder = await folderWith('c.ts', '..data/c.ts')
    await writeExtension(
      folder,
      '..data/c.ts',
      admits('c', "if (name === 'worse') return { allowed: false, message: more }").replace(
        '\n',
        "import { more } from './linked/more.ts'\n",
      ),
    )
    await writeExtension(folder, '..data/linked/more.ts', "export const more: string = 'no more'")
    await symlink('..data/linked', path.join(folder, 'linked'))
    await symlink('..', path.join(folder, 'lib', 'loop'))
    const { create, server } = await startOnFolder(folder)
    expect(await create('worse')).toContain('no more')
    expect(await create('bad')).toContain('no bad')
    await server.stop()
  })
})
