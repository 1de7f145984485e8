// What the reference answered to every method on paths with an empty, missing, doubled or encoded part is what we answer, and nothing
// is done to more objects than it did it to. `make test-reference` asks the reference itself. `make test` has every fourth path,
// `make test-conformance` all of them.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { SILENT_LOG } from '../../src/lib/log.ts'
import { type RunningServer, startServer } from '../../src/server/server.ts'
import { furnish, PathQuestions, readPathTable, VERB_NAMES, type VerbName } from '../rigs/path-answers.ts'
import { consoleSender, http1Sender, http2Sender, inProcessSender, type Send } from '../rigs/path-senders.ts'
import { GROUP, pathShapes } from '../corpora/path-shapes.ts'
import { type OpenServer, reachServer } from '../rigs/running-server.ts'
import { IS_WHOLE } from '../rigs/whole.ts'

/** As it was recorded: without the controllers of another program. */
const FLAGS = [
  '--service-cluster-ip-range=10.96.0.0/16',
  '--controllers=*,-garbage-collector,-namespace,-serviceaccount,-root-ca-certificate-publisher,-resource-quotas',
]

interface Row {
  readonly path: string
  readonly verb: VerbName
  readonly recorded: string
}

interface Decided {
  readonly name: string
  readonly isOf: (row: Row) => boolean
  readonly answer: RegExp
}

const DOTS = /(?:^|\/|%2f)(?:\.|%2e){1,2}(?:\/|%2f|$)/i

/** Where we may differ, on purpose. */
const DECIDED: readonly Decided[] = [
  { name: 'escapes that are none', isOf: ({ path }) => /%(?![0-9a-f]{2})/i.test(path), answer: /^400/ },
  { name: 'escapes of what is not UTF-8', isOf: ({ path }) => path.includes('%C3%28'), answer: /^400/ },
  { name: 'a fault of the client (D20)', isOf: ({ recorded }) => recorded.startsWith('500'), answer: /^(400|404|503)/ },
  {
    name: 'a PUT would create, if there were the namespace (D26)',
    isOf: ({ path, verb, recorded }) => verb === 'PUT' && path.endsWith('/a1') && recorded.startsWith('404'),
    answer: /^404 NotFound namespaces/,
  },
  {
    name: 'a name with % is refused before the body is read',
    isOf: ({ path, recorded }) => path.includes('/%25') && /^(400|415)/.test(recorded),
    answer: /^400 BadRequest Name parameter invalid/,
  },
  {
    name: 'the reference takes a custom object with an empty subresource for the object, or for the collection (D36)',
    isOf: ({ path }) =>
      /\/(?:widgets|w1|g1)\/(?:%2F)?\/(?:x|status|w1\/status)$/.test(path) && !/widgets\/\/status/.test(path),
    answer: /^404/,
  },
  {
    name: 'the reference watches custom objects by the old paths, whatever the method',
    isOf: ({ path, verb }) => path.includes(`${GROUP}/v1/watch/`) && verb !== 'GET' && verb !== 'WATCH',
    answer: /^40[45]/,
  },
  {
    name: 'groups that have nothing but reviews are told of in plain text',
    isOf: ({ path, recorded }) => path.includes('/authorization.k8s.io/') && recorded.startsWith('404'),
    answer: /^404/,
  },
  {
    name: 'a target in absolute form must name the same host as the header (test/security/connections.test.ts)',
    isOf: ({ path }) => path.startsWith('https://elsewhere.example.com/'),
    answer: /^400/,
  },
  {
    name: 'a review in no namespace',
    isOf: ({ path, recorded }) => path.endsWith('//localsubjectaccessreviews') && recorded.startsWith('422'),
    answer: /^400 BadRequest Namespace parameter required/,
  },
]

function isAsDecided(row: Row, found: string): boolean {
  if (DOTS.test(row.path.replace(/\?.*/, ''))) return found.startsWith('400')
  return (
    settled(found, row) === settled(row.recorded, row) ||
    DECIDED.some(({ isOf, answer }) => isOf(row) && answer.test(found))
  )
}

/** Whether a write of the same object changes it depends on the requests before, of which a slice leaves out most. */
function settled(answer: string, { verb }: Row): string {
  return !IS_WHOLE && (verb === 'PUT' || verb === 'APPLY') ? answer.replace(/^(200 \S+) ~\S+$/, '$1') : answer
}

const opened = new AsyncDisposableStack()
let running: RunningServer
let server: OpenServer
beforeAll(async () => {
  const config = await readConfig(['--in-memory', '--secure-port', '0', ...FLAGS], {})
  running = await startServer({ config, log: SILENT_LOG, signal: AbortSignal.timeout(60_000) })
  const { url, authority = '', adminToken } = running
  server = opened.use(reachServer({ url, authority, adminToken }, () => running.stop()))
  await furnish(server, opened)
})
afterAll(() => opened.disposeAsync())

/** The odd parts of a path recur after 3 and after 23 paths: each of them is among these at some place of a path. */
const STEP = IS_WHOLE ? 1 : 4

it('odd paths are answered as by the reference, or as decided (D36)', async () => {
  const questions = new PathQuestions(server)
  const send = http1Sender(server, opened)
  const table = readPathTable()
  const differing: string[] = []
  for (const [at, shape] of pathShapes().entries()) {
    if (at % STEP !== 0) continue
    const answers = await questions.answersAt(shape, send)
    for (const [i, verb] of VERB_NAMES.entries()) {
      const row = { path: shape.path, verb, recorded: table.get(shape.path)?.[i] ?? 'not recorded' }
      if (!isAsDecided(row, answers[i]!)) differing.push(`${verb} ${shape.path}\n  ${row.recorded}\n  ${answers[i]}`)
    }
  }
  expect(differing.join('\n')).toBe('')
})

const WAYS = {
  'HTTP/2': () => http2Sender(server, opened),
  'a client in the same process': () => inProcessSender(running, opened),
  'the console': () => consoleSender(server, opened),
}
const VERBS_EVERYWHERE: readonly VerbName[] = ['GET', 'POST', 'DELETE']
const ODD = /^\/(?=.*(?:configmaps|remote|healthz))(?:.*\/)?(?:\/|%2f|\.|%2e|%00|%zz)/i
const EVERYWHERE = pathShapes().filter(({ path }) => ODD.test(path))

it.each(Object.entries(WAYS))('%s gets the same answers', async (_name, open) => {
  const questions = new PathQuestions(server)
  const [plain, other] = [http1Sender(server, opened), await open()]
  expect(EVERYWHERE.length).toBeGreaterThan(100)
  for (const shape of EVERYWHERE) {
    // An update that was made a moment ago changes nothing.
    const ask = async (send: Send): Promise<readonly string[]> =>
      (await questions.answersAt(shape, send, VERBS_EVERYWHERE)).map((answer) => answer.replaceAll(/ ~\S+/g, ''))
    expect(await ask(other), shape.path).toEqual(await ask(plain))
  }
})
