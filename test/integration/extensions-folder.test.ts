// The functions of `--extensions`: in processes of their own, which may do what they like.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ApiStatusError, k8s } from '../../src/client/client.ts'
import { type Log, type Server, startServer } from '../../src/index.ts'
import { isRunning } from '../fakes/running-process.ts'
import { newHome, startServerProcess } from '../fakes/server-process.ts'
import { tempFolder } from '../fakes/temp-folder.ts'

/** Long enough for a busy machine; what loops is waited for so long. */
const SECONDS = 2

/** An extension that asks about config maps; `body` has their name and the object. */
const admits = (name: string, body: string): string => `
import { k8s } from 'quarterdeck/client'
import { defineExtension } from 'quarterdeck/extensions'

export default defineExtension((server) => {
  server.admit({ name: '${name}', resource: k8s.ConfigMap, timeoutSeconds: ${SECONDS} }, ({ object }) => {
    const name: string = object.metadata.name ?? ''
    ${body}
  })
})
`

const denies = (name: string): string =>
  `if (name.startsWith('${name}')) return { allowed: false, message: 'no ${name}' }`

interface Opened {
  readonly server: Server
  readonly folder: string
  /** What is told of extensions after they are loaded. */
  readonly logged: string[]
  /** The answer to a new config map: `ok`, or why not. */
  readonly create: (name: string) => Promise<string>
  /** The same, by a name that begins so. */
  readonly createAnother: (name: string) => Promise<string>
}

async function open(files: Readonly<Record<string, string>>): Promise<Opened> {
  const folder = await tempFolder()
  for (const [name, text] of Object.entries(files)) await write(folder, name, text)
  const logged: string[] = []
  const note = (fields: object, message: string): void => {
    const { extension, err, reason } = fields as { extension?: string; err?: Error; reason?: string }
    if (extension !== undefined && message !== 'loaded extension')
      logged.push(`${message}: ${extension}: ${String(err ?? reason ?? '')}`)
  }
  const log: Log = { debug: () => {}, info: note, warn: note, error: note }
  const server = await startServer({ flags: { extensions: folder }, log })
  onTestFinished(() => server.stop())
  const maps = server.client().resource(k8s.ConfigMap).inNamespace('default')
  const create = (name: string): Promise<string> =>
    maps.create({ metadata: { name } }).then(
      () => 'ok',
      (error: ApiStatusError) => error.message.split(': ').slice(1).join(': '),
    )
  let made = 0
  return { server, folder, logged, create, createAnother: (name) => create(`${name}-${++made}`) }
}

async function write(folder: string, name: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
  await writeFile(path.join(folder, name), text)
}

const DENIED = (name: string, of: string): string => `admission webhook "${of}" denied the request: no ${name}`
const failed = (of: string, why: string): string =>
  `Internal error occurred: failed calling webhook "${of}": failed to call webhook: ${why}`
const TOO_LATE = 'context deadline exceeded'
const BROKEN = 'the function failed, as the log of the server tells'

describe('extensions', () => {
  it('admit, convert and authorize, and import what is below their folder', async () => {
    const { server, create } = await open({
      'a.ts': admits('a', "if (name === bad) return { allowed: false, message: 'no bad' }").replace(
        '\n',
        "import { bad } from './lib/bad.ts'\n",
      ),
      'lib/bad.ts': "export const bad: string = 'bad'",
      'plain.mjs': `export const extension = (server) => {
        server.authorize(({ user }) => (user === 'ann' ? { allowed: true } : undefined))
        server.convert({ group: 'example.com', kind: 'Plank' }, (object, to) => ({
          ...object, spec: to === 'v1' ? { size: object.spec.length } : { length: object.spec.size } }))
      }`,
      'types.d.ts': 'this is not loaded',
    })
    expect([await create('good'), await create('bad')]).toEqual(['ok', DENIED('bad', 'a')])
    await server.client({ name: 'ann' }).resource(k8s.Secret).list()
    const schema = (name: string) => {
      const spec = { type: 'object', properties: { [name]: { type: 'integer' } } }
      return { openAPIV3Schema: { type: 'object', properties: { spec } } }
    }
    await server
      .client()
      .resource(k8s.CustomResourceDefinition)
      .create({
        metadata: { name: 'planks.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Cluster',
          names: { plural: 'planks', kind: 'Plank' },
          versions: [
            { name: 'v1', served: true, storage: false, schema: schema('size') },
            { name: 'v2', served: true, storage: true, schema: schema('length') },
          ],
        },
      })
    const planks = (version: string) =>
      server
        .client()
        .resource<never>({ group: 'example.com', version, plural: 'planks', kind: 'Plank', namespaced: false })
    await planks('v1').create({ metadata: { name: 'a' }, spec: { size: 3 } } as never)
    expect(await planks('v2').get('a')).toMatchObject({ spec: { length: 3 } })
  })

  it('that loop cost the request that they are asked about, and nothing else', async () => {
    const { create, logged } = await open({
      'looping.ts': admits('looping', `if (name.startsWith('loop')) for (;;);`),
      'other.ts': admits('other', denies('bad')),
    })
    const looping = create('loop')
    expect(await Promise.all([create('one'), create('two'), create('bad')])).toEqual([
      'ok',
      'ok',
      DENIED('bad', 'other'),
    ])
    expect(await looping).toBe(failed('looping', TOO_LATE))
    expect(await create('three')).toBe('ok')
    await expect
      .poll(() => logged)
      .toEqual([
        `extension function failed: looping.ts: Error: took longer than ${1000 * SECONDS} ms: its process was ended`,
      ])
  })

  it('that take much memory, at once or outside of the heap, cost the request that they are asked about', async () => {
    const { create, logged } = await open({
      'hungry.ts': admits(
        'hungry',
        `const taken: unknown[] = []
        if (name === 'objects') for (const map = new Map();;) map.set(map.size, {})
        if (name === 'array') for (;;) taken.push(new Array(20_000_000).fill(1.5))
        if (name === 'buffers') for (;;) taken.push(Buffer.alloc(50_000_000, 1))`,
      ).replace(`timeoutSeconds: ${SECONDS}`, 'timeoutSeconds: 30'),
    })
    for (const name of ['objects', 'array', 'buffers']) {
      expect(await create(name)).toBe(failed('hungry', BROKEN))
      expect(await create(`after-${name}`)).toBe('ok')
    }
    await expect
      .poll(() => logged)
      .toEqual(Array(3).fill(expect.stringContaining('hungry.ts: Error: its process ended with')))
  })

  it('that end their process, or fail where nobody waits, do no harm', async () => {
    const { create, createAnother, logged } = await open({
      'rude.ts': admits(
        'rude',
        `if (name === 'exit') process.exit(0)
        if (name === 'later') setTimeout(() => { throw new Error('later') })
        if (name === 'throw') throw new Error('secret')`,
      ),
    })
    expect(await create('exit')).toBe(failed('rude', BROKEN))
    expect(await create('throw')).toBe(failed('rude', BROKEN))
    expect(await create('later')).toBe('ok')
    await expect.poll(() => createAnother('after')).toBe('ok')
    expect(logged.slice(0, 2)).toEqual([
      'extension function failed: rude.ts: Error: its process ended with code 0',
      'extension function failed: rude.ts: Error: secret',
    ])
  })

  it('are loaded again when they change, and stay as they were where they cannot be', async () => {
    const { folder, createAnother, logged } = await open({ 'a.ts': admits('a', denies('old')) })
    expect(await createAnother('old')).toBe(DENIED('old', 'a'))
    await write(folder, 'a.ts', admits('a', denies('new')))
    await expect.poll(() => createAnother('new')).toBe(DENIED('new', 'a'))
    expect(await createAnother('old')).toBe('ok')
    await write(folder, 'a.ts', admits('a', 'if ((('))
    await expect
      .poll(() => logged.at(-1))
      .toContain('could not reload extension; keeping the previous one: a.ts: a.ts:')
    expect(await createAnother('new')).toBe(DENIED('new', 'a'))
    await write(folder, 'b.js', admits('b', denies('more')).replace(': string', ''))
    await expect.poll(() => createAnother('more')).toBe(DENIED('more', 'b'))
    await rm(path.join(folder, 'a.ts'))
    await expect.poll(() => createAnother('new')).toBe('ok')
    await expect
      .poll(() => logged)
      .toEqual([
        'reloaded extension: a.ts: ',
        expect.stringContaining('could not reload extension'),
        'removed extension: a.ts: ',
      ])
  })

  it('run the code that was loaded, also in a process that is started when the file is broken', async () => {
    const { folder, create, logged } = await open({
      'a.ts': admits('a', `${denies('bad')}\nif (name === 'exit') process.exit()`),
    })
    await write(folder, 'a.ts', 'broken (')
    await expect.poll(() => logged.at(-1)).toContain('could not reload extension')
    expect(await create('exit')).toBe(failed('a', BROKEN))
    expect(await create('bad')).toBe(DENIED('bad', 'a'))
  })

  it.each([
    ['a file with an error in its syntax', 'export default (', /^--extensions .*: a\.ts: /],
    ['a file that exports nothing', 'export const a = 1', /a\.ts: exports nothing of defineExtension\(\)/],
    [
      'a rule that is none',
      'export default (s) => s.admit({ name: "x" }, () => {})',
      /a\.ts: .*say either its resource or its rules$/,
    ],
    [
      'a condition that is none',
      `export default (s) => s.admit({ name: 'x', rules: [], matchConditions: [{ name: 'c', expression: '1 +' }] }, () => {})`,
      /a\.ts: x: expression '1 \+': /,
    ],
  ])('keep a server from starting: %s', async (_, text, message) => {
    await expect(open({ 'a.ts': text })).rejects.toThrow(message)
  })

  it('leave no process behind', async () => {
    const processes = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'ProcessWrap').length
    const before = processes()
    const { server, create } = await open({ 'a.ts': admits('a', "if (name === 'loop') for (;;);") })
    const looping = create('loop').catch(() => {})
    expect(processes()).toBe(before + 1)
    await server.stop()
    // Node closes what it had of a process a moment after that is gone.
    await expect.poll(processes).toBe(before)
    await looping
  })
})

describe('the command', () => {
  it('runs extensions, and they end with it however it ends', async () => {
    const folder = await tempFolder()
    const pidFile = path.join(folder, 'pid')
    const program = admits('a', `${denies('bad')}\nif (name === 'loop') for (;;);`)
    await write(
      folder,
      'a.ts',
      `import { writeFileSync } from 'node:fs'\nwriteFileSync('${pidFile}', String(process.pid))\n${program}`,
    )
    const server = await startServerProcess(
      ['--in-memory', '--secure-port', '0', '--extensions', folder],
      await newHome(),
    )
    const create = (name: string) =>
      server.request('/api/v1/namespaces/default/configmaps', {
        method: 'POST',
        token: server.adminToken,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ metadata: { name } }),
      })
    await expect.poll(async () => (await create('good')).status).toBe(201)
    expect((await create('bad')).body).toContain(DENIED('bad', 'a').replaceAll('"', '\\"'))
    const pid = Number(await readFile(pidFile, 'utf8'))
    const looping = create('loop').catch(() => {})
    expect(isRunning(pid)).toBe(true)
    server.child.kill('SIGKILL')
    await looping
    await expect.poll(() => isRunning(pid)).toBe(false)
  })
})
