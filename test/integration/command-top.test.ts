// `quarterdeck top` beside a running server.
import { once } from 'node:events'
import https from 'node:https'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { writeFile } from 'node:fs/promises'
import { runCommand } from '../../src/commands/commands.ts'
import { fitted } from '../../src/commands/top.ts'
import { kubeconfigOf } from '../../src/config/admin.ts'
import { type OpenServer, openServer } from '../rigs/running-server.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

let server: OpenServer
let printed: string
let complained: string
beforeEach(async () => {
  server = await openServer()
  printed = complained = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => (printed += String(text)) !== '')
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => (complained += String(text)) !== '')
})
afterEach(async () => {
  vi.restoreAllMocks()
  await server[Symbol.asyncDispose]()
})

async function topAs(token: string, ...args: string[]): Promise<number> {
  const { url, authority } = server
  const kubeconfig = path.join(await tempFolder(), 'kubeconfig')
  const content = kubeconfigOf({ url, authority, user: { name: 'somebody', credential: { token } } })
  await writeFile(kubeconfig, JSON.stringify(content))
  return runCommand(['top', '--kubeconfig', kubeconfig, ...args], {})
}

const top = (...args: string[]): Promise<number> => topAs(server.adminToken, ...args)

async function openWatch(): Promise<void> {
  const headers = { authorization: `Bearer ${server.adminToken}`, 'user-agent': 'reader/1' }
  const request = https.get(`${server.url}/api/v1/pods?watch=1`, { ca: server.authority, headers })
  request.on('error', () => {})
  await once(request, 'response')
}

describe('quarterdeck top', () => {
  it('prints a table, or JSON', async () => {
    await openWatch()
    expect(await top('--once')).toBe(0)
    expect(printed).toMatch(/^\d+ watchers at resourceVersion \d+\nUSER .*\n(.*\n)*\S+ +reader\/1 +pods /)
    printed = ''
    expect(await top('-o', 'json')).toBe(0)
    expect(JSON.parse(printed)).toMatchObject({ watchers: [{ agent: 'reader/1', resource: 'pods' }] })
  })

  it('says what is wrong', async () => {
    expect(await top('-o', 'yaml')).toBe(2)
    expect(await top('--twice')).toBe(2)
    expect(complained).toContain('see quarterdeck top --help')
    complained = ''
    expect(await runCommand(['top', '--kubeconfig', '/nowhere/to/be/found'], {})).toBe(1)
    expect(complained).toMatch(/^quarterdeck top: .+\n$/)
    complained = ''
    expect(await topAs('wrong', '--once')).toBe(1)
    expect(complained).toMatch(/^quarterdeck top: .*Unauthorized\n$/)
  })

  it('shows in a terminal what there is room for', () => {
    expect(fitted('abcdef\nghijkl\nmnopqr\n', { rows: 3, columns: 4 })).toBe('abcd\nghij')
  })
})
