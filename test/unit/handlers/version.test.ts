import { describe, expect, it } from 'vitest'
import { showMetrics } from '../../../src/handlers/metrics.ts'
import { showVersion } from '../../../src/handlers/version.ts'
import { versionInfo } from '../../../src/telemetry/version.ts'
import { bodyText, fakeRequest } from '../http/fake-request.ts'

describe('/version (R-311, P-472)', () => {
  const handler = showVersion(versionInfo())

  it('tells the level of the API, indented for everyone', async () => {
    const response = await handler(fakeRequest('GET /version?pretty=false'))
    const text = bodyText(response)
    expect(text).toMatch(/^\{\n {2}"major": "1",\n {2}"minor": "37",/)
    expect(JSON.parse(text)).toMatchObject({ gitVersion: expect.stringMatching(/^v1\.37\.\d+/) as unknown })
    expect(response.headers['content-type']).toBe('application/json')
  })

  it.each([
    ['GET /version/', {}, 200],
    ['GET /version', { accept: '*/*' }, 200],
    ['GET /version', { accept: 'text/html, application/json;q=0.1' }, 200],
    ['GET /version', { accept: 'application/yaml' }, 406],
    ['GET /version/more', {}, 404],
    ['POST /version', {}, 405],
    ['HEAD /version', {}, 405],
  ])('%s %o: %i', async (line, headers, code) => {
    const outcome = await Promise.resolve()
      .then(() => handler(fakeRequest(line, { headers })))
      .then(
        (response) => response.status,
        (error: { code: number }) => error.code,
      )
    expect(outcome).toBe(code)
  })
})

describe('/metrics (R-340, P-480)', () => {
  it('shows what was counted piece by piece, to be packed for those who take it', async () => {
    async function* render(): AsyncGenerator<Buffer> {
      yield Buffer.from('a 1\n')
      yield Buffer.from('b 2\n')
    }
    const { headers, body } = await showMetrics({ render, reset: () => {} })(fakeRequest('GET /metrics'))
    expect(headers['content-type']).toContain('version=0.0.4')
    if (body.kind !== 'pieces') throw new Error('all at once')
    expect(body.compress).toBe(true)
    let text = ''
    for await (const piece of body.pieces) text += piece.toString()
    expect(text).toBe('a 1\nb 2\n')
  })

  it('forgets when asked to', async () => {
    let resets = 0
    const handler = showMetrics({ render: async function* () {}, reset: () => void resets++ })
    expect(bodyText(await handler(fakeRequest('DELETE /metrics')))).toBe('metrics reset\n')
    expect(resets).toBe(1)
  })
})
