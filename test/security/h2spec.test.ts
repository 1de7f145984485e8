// h2spec, the suite that HTTP/2 servers are held to, on the whole server.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeEtcdCertificates } from '../fakes/etcd-tls.ts'
import { buildSecurityTool, GO_BUILD_LIMIT_MS } from '../rigs/go-client.ts'
import { type OpenServer, openServer } from '../rigs/running-server.ts'

interface Outcome {
  readonly case: string
  readonly does: string
  readonly wrong: string
}

/** These need a stream that stays open for a while: what is answered at once is closed when they go on. */
const LASTING: readonly string[] = ['http2/5.1.2/1', 'http2/6.9.1/3']

let folder = ''
let program = ''
let certificate: readonly string[] = []
let flags: readonly string[] = []

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-h2spec-'))
  program = await buildSecurityTool('h2spec')
  // A stranger would not keep its connection from one request to the next.
  const { client, files } = await makeEtcdCertificates(folder)
  certificate = [path.join(folder, 'client.crt'), path.join(folder, 'client.key')]
  writeFileSync(certificate[0]!, client.certificate)
  writeFileSync(certificate[1]!, client.key)
  flags = ['--client-ca-file', files.ca, '--authorization-mode', 'AlwaysAllow', '--dev']
}, GO_BUILD_LIMIT_MS)

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function run({ url }: OpenServer, target: string, ...sections: readonly string[]): Promise<readonly Outcome[]> {
  const { hostname, port } = new URL(url)
  const { stdout } = await promisify(execFile)(program, [hostname, port, target, ...certificate, ...sections])
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Outcome)
}

it.each([
  ['', []],
  [' with the plain runtime', ['--plain-runtime']],
])('every case of h2spec passes%s', async (_name, more) => {
  await using server = await openServer([...flags, ...more])
  const outcomes = await run(server, '/apis/authentication.k8s.io/v1/selfsubjectreviews')
  const lasting = await run(server, '/api/v1/configmaps?watch=1', ...LASTING)
  const all = [...outcomes.filter((outcome) => !LASTING.includes(outcome.case)), ...lasting]
  expect(all.filter(({ wrong }) => wrong !== '')).toEqual([])
  expect(lasting.map((outcome) => outcome.case)).toEqual(LASTING)
  expect(all).toHaveLength(146)
})
