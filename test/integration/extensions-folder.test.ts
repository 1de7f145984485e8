// The functions of `--extensions`: in processes of their own, which may do what they like.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { k8s } from '../../src/client/client.ts'
import {
  admits,
  denies,
  SECONDS,
  startOnFolder,
  startWithExtensions,
  writeExtension,
} from '../fakes/extension-server.ts'
import { isRunning } from '../rigs/running-process.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

const DENIED = (name: string, of: string): string => `admission webhook "${of}" denied the request: no ${name}`
const failed = (of: string, why: string): string =>
  `Internal error occurred: failed calling webhook "${of}": failed to call webhook: ${why}`
const TOO_LATE = 'context deadline exceeded'
const BROKEN = 'the function failed; the log of the server has the reason'

describe('extensions', () => {
  it('admit, convert and authorize, and import what is below their folder', async () => {
    const { server, create } = await startWithExtensions({
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
    const { create, logged } = await startWithExtensions({
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

  it('are loaded once, also where their folder changes meanwhile', async () => {
    const folder = await tempFolder()
    const slow = (name: string): string =>
      `await new Promise((resolve) => setTimeout(resolve, 1000))\n${admits('slow', denies(name))}`
    await writeExtension(folder, 'slow.ts', slow('bad'))
    const changing = setInterval(() => void writeExtension(folder, 'note.txt', String(performance.now())), 20)
    const { server, logged, createAnother } = await startOnFolder(folder)
    clearInterval(changing)
    onTestFinished(() => server.stop())
    await writeExtension(folder, 'slow.ts', slow('worse'))
    await expect.poll(() => createAnother('worse')).toBe(DENIED('worse', 'slow'))
    expect(logged).toEqual(['reloaded extension: slow.ts: '])
  })

  it('that take much memory, at once or outside of the heap, cost the request that they are asked about', async () => {
    const { create, logged } = await startWithExtensions({
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
    const { create, createAnother, logged } = await startWithExtensions({
      'rude.ts': admits(
        'rude',
        `if (name === 'exit') process.exit(0)
        if (name === 'later') setTimeout(() => { throw new Error('later') })
        if (name === 'nothing') throw undefined
        if (name === 'throw') throw new Error('secret')`,
      ),
    })
    expect(await create('exit')).toBe(failed('rude', BROKEN))
    expect(await create('throw')).toBe(failed('rude', BROKEN))
    expect(await create('nothing')).toBe(failed('rude', BROKEN))
    expect(await create('later')).toBe('ok')
    await expect.poll(() => createAnother('after')).toBe('ok')
    expect(logged.slice(0, 3)).toEqual([
      'extension function failed: rude.ts: Error: its process ended with code 0',
      'extension function failed: rude.ts: Error: secret',
      'extension function failed: rude.ts: Error: undefined',
    ])
  })

  it('are loaded again when they change, and stay as they were where they cannot be', async () => {
    const { folder, createAnother, logged } = await startWithExtensions({ 'a.ts': admits('a', denies('old')) })
    expect(await createAnother('old')).toBe(DENIED('old', 'a'))
    await writeExtension(folder, 'a.ts', admits('a', denies('new')))
    await expect.poll(() => createAnother('new')).toBe(DENIED('new', 'a'))
    expect(await createAnother('old')).toBe('ok')
    await writeExtension(folder, 'a.ts', admits('a', 'if ((('))
    await expect
      .poll(() => logged.at(-1))
      .toContain('could not reload extension; keeping the previous one: a.ts: a.ts:')
    expect(await createAnother('new')).toBe(DENIED('new', 'a'))
    await writeExtension(folder, 'b.js', admits('b', denies('more')).replace(': string', ''))
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
    const { folder, create, logged } = await startWithExtensions({
      'a.ts': admits('a', `${denies('bad')}\nif (name === 'exit') process.exit()`),
    })
    await writeExtension(folder, 'a.ts', 'broken (')
    await expect.poll(() => logged.at(-1)).toContain('could not reload extension')
    expect(await create('exit')).toBe(failed('a', BROKEN))
    expect(await create('bad')).toBe(DENIED('bad', 'a'))
  })

  it.each([
    ['a file with an error in its syntax', 'export default (', /^--extensions .*: a\.ts: /],
    ['a file that exports nothing', 'export const a = 1', /a\.ts: must export the result of defineExtension\(\)/],
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
    [
      'a write to a file',
      `import { writeFileSync } from 'node:fs'; writeFileSync('/nowhere', '')`,
      /a\.ts: extensions may not do this: FileSystemWrite \/nowhere$/,
    ],
    [
      'a module of the network',
      `import 'node:http'`,
      /a\.ts: extensions may not use node:http; --extensions-network opens the network to them, and nothing else$/,
    ],
  ])('keep a server from starting: %s', async (_, text, message) => {
    await expect(startWithExtensions({ 'a.ts': text })).rejects.toThrow(message)
  })

  it('leave no process behind', async () => {
    const processes = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'ProcessWrap').length
    const before = processes()
    const { server, create } = await startWithExtensions({ 'a.ts': admits('a', "if (name === 'loop') for (;;);") })
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
    const tells = "if (name === 'pid') return { allowed: false, message: `process ${process.pid}` }"
    await writeExtension(folder, 'a.ts', admits('a', `${denies('bad')}\n${tells}\nif (name === 'loop') for (;;);`))
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
    const pid = Number(/process (\d+)/.exec((await create('pid')).body)?.[1])
    const looping = create('loop').catch(() => {})
    expect(isRunning(pid)).toBe(true)
    server.child.kill('SIGKILL')
    await looping
    await expect.poll(() => isRunning(pid)).toBe(false)
  })
})
