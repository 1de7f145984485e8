// Many custom resource definitions of 10 to 800 KB: how long it takes until all of them are served and in the OpenAPI documents, what they
// take in memory, and what clients pay who read the documents or discover what there is.
import { setTimeout as sleep } from 'node:timers/promises'
import { definitionBody, namesOf } from './definition-bodies.ts'
import { inTurns, printTable, type Row, together } from './figures.ts'
import type { Answered, LoadClient, Request } from './load-client.ts'
import type { Settings } from './settings.ts'
import type { Subject } from './subject.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const CREATED_AT_ONCE = 8
const LOOK_EVERY_MS = 50
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const OPENAPI_V2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'

export async function measureDefinitions(subjects: readonly Subject[], settings: Settings): Promise<void> {
  for (const subject of subjects) await subject.start()
  const print = printTable('Definitions of 10 to 800 KB', 'definitions')
  let there = 0
  for (const size of settings.definitions) {
    const from = there
    there = size
    const rows = [await inTurns(subjects, 1, (subject) => createAll(subject, from, size))]
    for (const read of READS) {
      // The first time it is made; all others are told what was made.
      rows.push(await inTurns(subjects, 1, (subject) => measureRead(subject, `${read.name}, first`, read.request)))
      rows.push(
        await inTurns(subjects, settings.rounds, (subject) =>
          measureRead(subject, `${read.name}, again`, read.request),
        ),
      )
    }
    rows.push(await inTurns(subjects, settings.rounds, readAllGroups))
    rows.push(await inTurns(subjects, settings.rounds, (subject, round) => addOne(subject, size, round)))
    rows.push(await inTurns(subjects, 1, memory))
    print(together(size, rows))
  }
  for (const subject of subjects) await subject.stop()
}

const READS: readonly { readonly name: string; readonly request: Request }[] = [
  { name: '/openapi/v2, JSON', request: { path: '/openapi/v2' } },
  { name: '/openapi/v2, protobuf', request: { path: '/openapi/v2', accept: OPENAPI_V2 } },
  { name: 'aggregated discovery', request: { path: '/apis', accept: AGGREGATED } },
]

async function memory(subject: Subject): Promise<Row> {
  return { 'memory, settled, MB': await subject.settledMB() }
}

/** Until objects of every one can be listed, and until the index of OpenAPI v3 has every group. */
async function createAll(subject: Subject, from: number, to: number): Promise<Row> {
  using client = subject.connect()
  const before = subject.processorMs()
  const began = performance.now()
  let next = from
  const creator = async (): Promise<void> => {
    while (next < to) await client.do({ method: 'POST', path: DEFINITIONS, body: definitionBody(next++) })
  }
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, creator))
  const created = performance.now()
  for (let index = from; index < to; index++) await untilServed(client, index)
  const served = performance.now()
  for (const group of groupsOf(to)) {
    await until(client, { path: '/openapi/v3', keep: true }, ({ text }) => text.includes(`apis/${group}/v1`))
  }
  const count = to - from
  return {
    'created, ms each': (created - began) / count,
    'created until all are served, s': (served - created) / 1_000,
    'served until all are in /openapi/v3, s': (performance.now() - served) / 1_000,
    'all of it, processor ms each': (subject.processorMs() - before) / count,
  }
}

function groupsOf(count: number): ReadonlySet<string> {
  return new Set(Array.from({ length: count }, (_, index) => namesOf(index).group))
}

function untilServed(client: LoadClient, index: number): Promise<Answered> {
  const { group, plural } = namesOf(index)
  return until(client, { path: `/apis/${group}/v1/${plural}?limit=1` }, ({ status }) => status === 200)
}

async function until(
  client: LoadClient,
  request: Request,
  isEnough: (answered: Answered) => boolean,
): Promise<Answered> {
  for (;;) {
    const answered = await client.send(request)
    if (isEnough(answered)) return answered
    await sleep(LOOK_EVERY_MS)
  }
}

async function measureRead(subject: Subject, name: string, request: Request): Promise<Row> {
  using client = subject.connect()
  await client.connected()
  const before = subject.processorMs()
  const began = performance.now()
  const { bytes } = await client.do(request)
  return {
    [`${name}, ms`]: performance.now() - began,
    [`${name}, processor ms`]: subject.processorMs() - before,
    [`${name}, MB`]: bytes / 1e6,
  }
}

/** As kubectl does that validates or explains: the index, then each document. */
async function readAllGroups(subject: Subject): Promise<Row> {
  using client = subject.connect()
  const before = subject.processorMs()
  const began = performance.now()
  const { text } = await client.do({ path: '/openapi/v3', keep: true })
  const { paths } = JSON.parse(text) as { paths: Readonly<Record<string, { readonly serverRelativeURL: string }>> }
  let bytes = text.length
  for (const { serverRelativeURL } of Object.values(paths)) {
    bytes += (await client.do({ path: serverRelativeURL })).bytes
  }
  return {
    '/openapi/v3, all documents, ms': performance.now() - began,
    '/openapi/v3, all documents, processor ms': subject.processorMs() - before,
    '/openapi/v3, all documents, MB': bytes / 1e6,
  }
}

/** One more among so many, until it is served and in the document that has all of them. */
async function addOne(subject: Subject, size: number, round: number): Promise<Row> {
  using client = subject.connect()
  // Of a common size, and none that is there or was.
  const index = ONE_MORE - SIZES_IN_A_ROW * (size + round)
  const { kind, plural, group } = namesOf(index)
  const before = subject.processorMs()
  const began = performance.now()
  await client.do({ method: 'POST', path: DEFINITIONS, body: definitionBody(index) })
  await untilServed(client, index)
  const served = performance.now()
  await until(client, { path: '/openapi/v2', keep: true }, ({ text }) => text.includes(`"kind":"${kind}"`))
  const row = {
    'one more, until it is served, ms': served - began,
    'one more, until it is in /openapi/v2, ms': performance.now() - began,
    'one more, processor ms': subject.processorMs() - before,
  }
  await client.do({ method: 'DELETE', path: `${DEFINITIONS}/${plural}.${group}` })
  return row
}

/** The highest number of one of 24 KB; sizes repeat after so many. */
const ONE_MORE = 99_987
const SIZES_IN_A_ROW = 20
