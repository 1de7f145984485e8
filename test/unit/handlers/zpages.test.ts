import { describe, expect, it } from 'vitest'
import { parseCbor } from '../../../src/codec/cbor-decode.ts'
import { showFlagz, showStatusz } from '../../../src/handlers/zpages.ts'
import { readConfig } from '../../../src/config/config.ts'
import { versionInfo } from '../../../src/telemetry/version.ts'
import { bodyText, fakeRequest } from '../http/fake-request.ts'

const PATHS = ['/', '/api', '/apis/apps/v1', '/livez/ping', '/livez', '/metrics/slis', '/openapi/v2', '/statusz']
const STARTED = Date.UTC(2026, 0, 2, 3, 4, 5, 678)

function statusz(now = STARTED + 3_725_999, cbor = false) {
  return showStatusz({ version: versionInfo(), startedAt: STARTED, now: () => now, paths: PATHS, cbor })
}

describe('/statusz and /flagz (R-343, P-473)', () => {
  const form = (type: string, version = 'v1beta1', as = 'Statusz', group = 'config.k8s.io') =>
    `${type};g=${group};v=${version};as=${as}`
  const TEXT = 'text/plain; charset=utf-8'
  const REFUSED = 'only the following media types are accepted: application/json, application/yaml, text/plain'
  it.each([
    ['no Accept', undefined, TEXT],
    ['an empty Accept', ' ', TEXT],
    ['anything', '*/*', TEXT],
    ['text', 'text/plain', TEXT],
    ['any text', 'text/*', TEXT],
    ['what a browser sends', 'text/html,application/xml;q=0.9,*/*;q=0.8', TEXT],
    ['the form in JSON', form('application/json'), form('application/json')],
    ['the form in YAML', form('application/yaml'), form('application/yaml')],
    ['the older form', form('application/json', 'v1alpha1'), form('application/json', 'v1alpha1')],
    ['the form in any encoding', form('application/*'), form('application/json')],
    ['parameters in another order', 'application/json;as=Statusz;v=v1beta1;g=config.k8s.io', form('application/json')],
    [
      'the group in the other brand',
      form('application/json', 'v1beta1', 'Statusz', 'config.svc.io'),
      form('application/json', 'v1beta1', 'Statusz', 'config.svc.io'),
    ],
    ['the form before text', `text/plain;q=0.5, ${form('application/json')}`, form('application/json')],
    ['text before the form', `text/plain, ${form('application/json')};q=0.5`, TEXT],
    ['plain JSON', 'application/json', REFUSED],
    ['plain YAML', 'application/yaml', REFUSED],
    ['the form of the other page', form('application/json', 'v1beta1', 'Flagz'), REFUSED],
    ['a version that is not there', form('application/json', 'v1'), REFUSED],
    ['the form as text', form('text/plain'), REFUSED],
    ['the form in protobuf', form('application/vnd.kubernetes.protobuf'), REFUSED],
    ['the form in CBOR, the gate being off', form('application/cbor'), REFUSED],
    ['the form as a stream', `${form('application/json')};stream=watch`, REFUSED],
    ['HTML', 'text/html', REFUSED],
  ])('%s', async (_name, accept, expected) => {
    const headers = accept === undefined ? {} : { accept }
    const outcome = await Promise.resolve()
      .then(() => statusz()(fakeRequest('GET /statusz', { headers })))
      .then(
        (response) => response.headers['content-type'],
        (error: { code: number; message: string }) => (error.code === 406 ? error.message : error),
      )
    expect(outcome).toBe(expected)
  })

  it('shows what runs, since when, and which pages there are', async () => {
    const text = bodyText(await statusz()(fakeRequest('GET /statusz')))
    expect(text).toMatch(/^\napiserver statusz\nWarning: /)
    expect(text).toContain('\nStarted: 2026-01-02T03:04:05Z\nUp: 1 hr 02 min 05 sec\n')
    expect(text).toMatch(/\nEmulation version: 1\.37\nPaths: \/livez \/metrics \/statusz\n$/)
  })

  it('shows the same as an object', async () => {
    const request = fakeRequest('GET /statusz', { headers: { accept: form('application/json') } })
    const text = bodyText(await statusz()(request))
    expect(JSON.parse(text)).toEqual({
      kind: 'Statusz',
      apiVersion: 'config.k8s.io/v1beta1',
      metadata: { name: 'apiserver' },
      startTime: '2026-01-02T03:04:05Z',
      uptimeSeconds: 3725,
      goVersion: `node ${process.version}`,
      binaryVersion: versionInfo().gitVersion.slice(1),
      emulationVersion: '1.37',
      paths: ['/livez', '/metrics', '/statusz'],
    })
    expect(request.warnings).toEqual([])
  })

  it('has no negative age where the clock was set back', async () => {
    const request = fakeRequest('GET /statusz', { headers: { accept: form('application/json') } })
    expect(bodyText(await statusz(STARTED - 5000)(request))).toContain('"uptimeSeconds":0,')
  })

  it('indents for those who ask for it', async () => {
    const request = fakeRequest('GET /statusz?pretty=1', { headers: { accept: form('application/json') } })
    expect(bodyText(await statusz()(request))).toMatch(/^\{\n {2}"kind": "Statusz",\n/)
  })

  it('speaks CBOR where its gate is on', async () => {
    const request = fakeRequest('GET /statusz', { headers: { accept: form('application/cbor') } })
    const { headers, body } = await statusz(STARTED, true)(request)
    expect(headers['content-type']).toBe(form('application/cbor'))
    expect(body.kind === 'bytes' && parseCbor(body.bytes)).toMatchObject({ kind: 'Statusz' })
  })

  it.each([
    ['Statusz', statusz()],
    ['Flagz', showFlagz({ flags: {}, cbor: false })],
  ])('warns of the older form of %s', async (kind, handler) => {
    const accept = form('application/json', 'v1alpha1', kind)
    const request = fakeRequest('GET /', { headers: { accept } })
    expect(JSON.parse(bodyText(await handler(request)))).toMatchObject({ kind, apiVersion: 'config.k8s.io/v1alpha1' })
    expect(request.warnings).toEqual([
      `This version of the ${kind.toLowerCase()} endpoint is deprecated. Please use a newer version.`,
    ])
  })

  it('shows every flag as it was set, or its default', async () => {
    const { flags } = await readConfig(['--in-memory', '--secure-port=0'], { QUARTERDECK_LOG_LEVEL: 'warn' })
    const handler = showFlagz({ flags, cbor: false })
    const text = bodyText(await handler(fakeRequest('GET /flagz')))
    expect(text).toMatch(/^\napiserver flagz\nWarning: /)
    const lines = text.split('\n')
    for (const line of ['in-memory=true', 'secure-port=0', 'log-level=warn', 'etcd-servers=', 'event-ttl=1h'])
      expect(lines).toContain(line)
    const shown = lines.slice(3, -1).map((line) => line.split('=', 1)[0])
    expect(shown).toEqual(Object.keys(flags).sort())
    const accept = form('application/yaml', 'v1beta1', 'Flagz')
    const yaml = bodyText(await handler(fakeRequest('GET /flagz', { headers: { accept } })))
    expect(yaml).toContain('kind: Flagz\n')
    expect(yaml).toContain('  log-level: warn\n')
  })

  it.each([
    ['https://user:secret@one:2379,https://two:2379', 'https://CLASSIFIED@one:2379,https://two:2379'],
    ['https://one:2379,https://user:se@cr,et@two:2379', 'https://one:2379,https://CLASSIFIED@two:2379'],
    ['https://issuer.example/a@b', 'https://issuer.example/a@b'],
    ['/etc/keys/secret.key', '/etc/keys/secret.key'],
  ])('never shows a password: %s', async (value, shown) => {
    const handler = showFlagz({ flags: { 'etcd-servers': value }, cbor: false })
    const accept = form('application/json', 'v1beta1', 'Flagz')
    expect(bodyText(await handler(fakeRequest('GET /flagz')))).toContain(`\netcd-servers=${shown}\n`)
    const object = bodyText(await handler(fakeRequest('GET /flagz', { headers: { accept } })))
    expect(JSON.parse(object)).toMatchObject({ flags: { 'etcd-servers': shown } })
  })
})
