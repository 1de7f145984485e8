// What the documents for users tell them to type, typed as it stands there: in a shell, in a folder with the files that they tell to save.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMAND } from '../rigs/command.ts'
import { type DocumentedRun, RUN_HERE } from '../corpora/documented-commands.ts'
import { documentedFiles } from '../corpora/documents.ts'
import { buildEtcdProgram } from '../rigs/etcd-programs.ts'
import { findEtcd } from '../rigs/etcd-binary.ts'
import { type EtcdServer, startEtcd } from '../rigs/etcd-server.ts'
import { freePort } from '../rigs/free-port.ts'
import { buildGoClient } from '../rigs/go-client.ts'
import { ServerProcess } from '../rigs/server-process.ts'

const PROJECT = path.join(import.meta.dirname, '../..')

let folder: string
let etcd: EtcdServer
let places: Readonly<Record<string, string>>

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-documented-'))
  for (const [name, content] of documentedFiles()) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), content)
  }
  const programs = path.join(folder, 'bin')
  mkdirSync(programs)
  writeFileSync(path.join(programs, 'quarterdeck'), `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`)
  chmodSync(path.join(programs, 'quarterdeck'), 0o755)
  symlinkSync(await buildGoClient('kubectl'), path.join(programs, 'kubectl'))
  for (const name of ['etcdctl', 'etcdutl'] as const) {
    symlinkSync(await buildEtcdProgram(name), path.join(programs, name))
  }
  const found = await findEtcd('newest')
  symlinkSync(found.path, path.join(programs, 'etcd'))
  mkdirSync(path.join(folder, 'node_modules'))
  symlinkSync(PROJECT, path.join(folder, 'node_modules/quarterdeck'))
  symlinkSync(path.join(PROJECT, 'node_modules/zod'), path.join(folder, 'node_modules/zod'))
  etcd = await startEtcd()
  const [envtest, port] = [await buildGoClient('envtest'), String(await freePort())]
  places = { project: PROJECT, etcd: etcd.endpoint, envtest, port }
})

afterAll(async () => {
  await etcd[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

function typed(command: string, { with: replaced = {} }: DocumentedRun): string {
  const words = Object.entries({ ...replaced, '/data': replaced['/data'] ?? '.local/share/quarterdeck' })
  const text = words.reduce((all, [documented, here]) => all.replaceAll(documented, here), command)
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => places[name]!)
}

async function run(command: string, row: DocumentedRun): Promise<void> {
  const env = {
    PATH: `${path.join(folder, 'bin')}:${process.env['PATH']}`,
    HOME: folder,
    KUBECONFIG: path.join(folder, '.local/share/quarterdeck/admin.kubeconfig'),
    ETCDCTL_ENDPOINTS: etcd.endpoint,
    // Where a command says nothing of them: as in a shell where nothing else runs.
    QUARTERDECK_SECURE_PORT: '0',
  }
  // In a group of its own, to be stopped with all that it starts.
  const child = spawn('bash', ['-c', typed(command, row)], { cwd: folder, env, detached: true })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const closed = once(child, 'close') as Promise<[number | null]>
  // One that ends before it has read all of its input is judged by how it ends.
  child.stdin.on('error', () => {}).end(row.input ?? '')
  if (row.endless) {
    await expect.poll(() => said).toMatch(row.says)
    process.kill(-child.pid!, 'SIGTERM')
    await closed
    return
  }
  const [code] = await closed
  expect({ code, said }).toEqual({ code: row.exits ?? 0, said: expect.stringMatching(row.says) as string })
}

describe('with a server', () => {
  let server: ServerProcess
  beforeAll(async () => {
    server = new ServerProcess(['serve', '--dev', '--secure-port', '0'], folder, {})
    await server.listening()
  })
  afterAll(() => server.stop())

  it.each(Object.entries(RUN_HERE.server))('%s', run)
})

describe('without one', () => {
  it.each(Object.entries(RUN_HERE.store))('%s', run)
})

describe('of a recipe', () => {
  it.each(Object.entries(RUN_HERE.recipes))('%s', run)
})
