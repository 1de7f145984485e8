// The pages about the server itself: who may see them, where they are named, and that a gate takes each away.
import { expect, it } from 'vitest'
import { openServer } from '../rigs/running-server.ts'

it('shows its pages to administrators and to those who watch over it, and to nobody else (R-343, P-148, P-473)', async () => {
  await using server = await openServer()
  const index = await server.must('/')
  expect(index['paths']).toEqual(expect.arrayContaining(['/flagz', '/statusz']))
  for (const path of ['/flagz', '/statusz']) {
    const asGroup = async (group: string): Promise<number> => {
      const headers = { 'impersonate-user': 'jane', 'impersonate-group': group }
      return (await server.request(path, { headers })).status
    }
    expect((await server.request(path)).body).toContain(`apiserver ${path.slice(1)}\n`)
    expect(await asGroup('system:monitoring')).toBe(200)
    expect(await asGroup('developers')).toBe(403)
    expect((await server.request(path, { token: '' })).status).toBe(403)
  }
})

it('has no page whose gate is off', async () => {
  await using server = await openServer(['--feature-gates=ComponentFlagz=false,ComponentStatusz=false'])
  const index = await server.must('/')
  for (const path of ['/flagz', '/statusz']) {
    expect((await server.request(path)).status).toBe(404)
    expect(index['paths']).not.toContain(path)
  }
})
