// CVE-2020-8552: whoever may do nothing, and whoever only comes and goes, leaves nothing behind in /metrics.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { definitionOf } from '../corpora/definitions.ts'
import { openServer, type OpenServer } from '../rigs/running-server.ts'

let server: OpenServer
const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-test-'))

beforeAll(async () => {
  const tokens = path.join(folder, 'tokens.csv')
  writeFileSync(tokens, 'no-rights,nobody,1\n')
  server = await openServer([`--token-auth-file=${tokens}`])
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

async function shown(): Promise<string> {
  return (await server.request('/metrics')).body
}

interface Listed {
  readonly resources: readonly { readonly name: string }[]
}

async function everyPlace(): Promise<readonly string[]> {
  const { groups } = (await server.must('/apis')) as {
    groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[]
  }
  const roots = ['/api/v1', ...groups.flatMap(({ versions }) => versions.map((each) => `/apis/${each.groupVersion}`))]
  const lists = await Promise.all(
    roots.map(async (root) => ({ root, ...((await server.must(root)) as unknown as Listed) })),
  )
  return lists.flatMap(({ root, resources }) =>
    resources.flatMap(({ name }) => {
      const [plural, subresource] = name.split('/')
      const object = `${plural}/x${subresource === undefined ? '' : `/${subresource}`}`
      return [`${root}/${plural}`, `${root}/namespaces/n/${plural}`, `${root}/namespaces/n/${object}`]
    }),
  )
}

describe('/metrics', () => {
  it('does not grow by what a user without rights asks for', { timeout: 120_000 }, async () => {
    const before = await shown()
    const places = await everyPlace()
    expect(places.length).toBeGreaterThan(300)
    const ask = async (place: string): Promise<number[]> => {
      const answers: number[] = []
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        answers.push((await server.request(place, { method, token: 'no-rights' })).status)
        answers.push((await server.request(place, { method, token: '' })).status)
      }
      return answers
    }
    const statuses = new Set<number>()
    for (let i = 0; i < places.length; i += 20) {
      const answers = await Promise.all(places.slice(i, i + 20).map(ask))
      for (const status of answers.flat()) statuses.add(status)
    }
    expect(statuses).toContain(403)
    const after = await shown()
    // What everybody may do is counted as it is: whoever asks finds out about himself.
    expect(after.length - before.length).toBeLessThan(250_000)
    expect(after).toMatch(
      /^apiserver_request_total\{verb="DELETE",group="",version="",resource="",.*code="403"\} \d{3}/m,
    )
  })

  it('tells nothing of definitions that are gone', { timeout: 120_000 }, async () => {
    const group = 'gone.example.com'
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    for (let i = 0; i < 5; i++) {
      const definition = definitionOf(group, `Thing${i}`)
      await server.must(definitions, { method: 'POST', body: definition })
      const place = `/apis/${group}/v1/${definition.spec.names.plural}`
      await expect.poll(async () => (await server.request(place)).status).toBe(200)
      const body = { apiVersion: `${group}/v1`, kind: `Thing${i}`, metadata: { name: 'a' } }
      await server.must(place, { method: 'POST', body })
      await server.request(`${place}?watch=1&timeoutSeconds=1&resourceVersion=0`)
    }
    expect(await shown()).toContain(group)
    for (let i = 0; i < 5; i++) {
      await server.must(`${definitions}/${definitionOf(group, `Thing${i}`).metadata.name}`, { method: 'DELETE' })
    }
    await expect.poll(shown, { interval: 250 }).not.toContain(group)
  })
})
