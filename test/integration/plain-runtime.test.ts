// The server without what leans on internals of Node, V8 and packages: slower, and otherwise the same.
import { expect, it } from 'vitest'
import { clientOf } from '../rigs/api-client.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const LARGE = 'x'.repeat(20_000)

it.each([
  ['by a flag', ['--plain-runtime'], {}],
  ['by the environment', [], { QUARTERDECK_PLAIN_RUNTIME: 'true' }],
  ['not at all', [], {}],
])('serves where it is asked for %s', async (_how, flags, environment) => {
  const server = await startServerProcess(['--in-memory', ...flags], await newHome(), environment)
  using client = clientOf(server)
  const watch = client.open(`${CONFIG_MAPS}?watch=1&fieldSelector=metadata.name!=kube-root-ca.crt`)
  const names = Array.from({ length: 60 }, (_, i) => `map-${String(i).padStart(2, '0')}`)
  const create = (name: string): Promise<{ status: number }> =>
    client.send('POST', CONFIG_MAPS, { body: { metadata: { name }, data: { large: LARGE } } })
  const answers = await Promise.all(names.map(create))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  await expect.poll(() => watch.lines()).toBe(names.length)
  await watch.close()
  const { body: page } = await client.json('GET', `${CONFIG_MAPS}?limit=7`)
  // All but those of the page; the server's own is first.
  expect(page).toMatchObject({ metadata: { remainingItemCount: names.length + 1 - 7 } })
  const lists = await Promise.all([1, 2, 3].map(() => client.send('GET', CONFIG_MAPS)))
  for (const { text } of lists) expect(text.length).toBeGreaterThan(names.length * LARGE.length)
  expect(await server.stop()).toMatchObject({ code: 0 })
})
