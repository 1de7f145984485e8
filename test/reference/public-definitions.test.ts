// What public projects define, judged by the reference and by us: every definition, their samples, samples that are nearly right, the
// rules in them and the admission policies beside them; and all of them in one server, with what documents and kubectl say of them.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startEtcd } from '../rigs/etcd-server.ts'
import { type Difference, judgeCorpus } from '../rigs/judged-definitions.ts'
import { findKubectls, Kubectl } from '../rigs/kubectl.ts'
import { type PublicCorpus, type PublicDefinition, readCorpus } from '../corpora/public-corpus.ts'
import { PUBLIC_PROJECTS } from '../corpora/public-projects.ts'
import { startReferenceServer } from '../rigs/reference-server.ts'
import { openServer, reachServer } from '../rigs/running-server.ts'
import { SEED } from '../rigs/seed.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Where we answer otherwise, and mean to: what is asked and told, and why. One that no longer differs has to go. */
const EXCEPTIONS: readonly { readonly what: RegExp; readonly why: string }[] = [
  { what: /^policy .*cause added: .*at least one validation action is required/s, why: 'D37' },
  {
    what: /^definition \S+ \(\S+calico\S+ \S+jenkins\S+\)\nwarning missing: 299 - "unknown field \\"description\\""$/,
    why: 'of a body in a version that is not served the version is told, and nothing of its fields',
  },
  {
    what: /^definition \S+ \(\S+velero\S+ \S+json#0\)\nstatus: 500, ours 400\n/,
    why: 'the reference calls it a fault of its own when a body cannot be read',
  },
  {
    what: /^definition nameValue \(k8s.io\/apiextensions-apiserver\S+ \S+\)\ncause missing: .*\{\\"ID\\":/,
    why: 'a definition with something in every field: the reference shows its schema as Go writes it',
  },
]

/** What the corpus had when this was written: fewer would mean that something is no longer looked at. */
const LEAST = { definitions: 750, rules: 3000, brokenRules: 30, requests: 12_000, policies: 130 }

/** Some minutes where nothing else is going on. */
const LIMIT_MS = 3_600_000

let corpus: PublicCorpus

beforeAll(async () => {
  corpus = await readCorpus(PUBLIC_PROJECTS)
})

it(
  'has the reference’s verdict on public definitions and all that is made of them',
  async () => {
    await using etcd = await startEtcd()
    const reference = await startReferenceServer({ etcd: etcd.endpoint })
    const authority = readFileSync(path.join(reference.folder, 'reference-certificates/apiserver.crt'), 'utf8')
    const address = { url: reference.url, authority, adminToken: reference.token }
    await using theirs = reachServer(address, () => Promise.resolve())
    await using ours = await openServer()
    const mutants = { ofRules: 3, ofOthers: 1 }
    const judged = await judgeCorpus(corpus, { theirs, ours, seed: SEED, samples: 20, mutants })
    const rules = judged.accepted.flatMap((one) => one.rules)
    const told = [...judged.causes]
    const brokenRules = [...new Set(rules)].filter((words) => told.some((cause) => cause.endsWith(words))).length
    const found = {
      definitions: corpus.definitions.length,
      rules: rules.length,
      brokenRules,
      requests: judged.asked,
      policies: corpus.policies.length,
    }
    console.log(`both judged ${JSON.stringify({ ...found, refused: judged.refused, served: judged.accepted.length })}`)
    const isMeant = (one: Difference): boolean => EXCEPTIONS.some(({ what }) => what.test(asText(one)))
    expect(judged.differences.filter((one) => !isMeant(one))).toEqual([])
    expect(EXCEPTIONS.filter(({ what }) => !judged.differences.some((one) => what.test(asText(one))))).toEqual([])
    for (const [name, least] of Object.entries(LEAST)) {
      expect(found[name as keyof typeof LEAST], name).toBeGreaterThanOrEqual(least)
    }
  },
  LIMIT_MS,
)

function asText({ about, lines }: Difference): string {
  return [about, ...lines].join('\n')
}

/** One of each name and of each kind. */
function together(definitions: readonly PublicDefinition[]): readonly PublicDefinition[] {
  const byName = new Map(definitions.map((one) => [one.name, one]))
  return [...new Map([...byName.values()].map((one) => [`${one.group} ${one.names.kind}`, one])).values()]
}

interface Documented {
  readonly 'x-kubernetes-group-version-kind'?: readonly { group: string; version: string; kind: string }[]
}

function kindsIn(schemas: Readonly<Record<string, Documented>>): ReadonlySet<string> {
  const kinds = Object.values(schemas).flatMap((schema) => schema['x-kubernetes-group-version-kind'] ?? [])
  return new Set(kinds.map(({ group, version, kind }) => `${group}/${version} ${kind}`))
}

it('serves all of them together, and documents and kubectl tell of each', async () => {
  const home = await newHome()
  const process = await startServerProcess(['--in-memory'], home)
  const authority = Buffer.from(process.kubeconfig.clusters[0].cluster['certificate-authority-data'] ?? '', 'base64')
  const address = { url: process.url, authority: authority.toString(), adminToken: process.adminToken }
  await using server = reachServer(address, () => Promise.resolve())
  const served: PublicDefinition[] = []
  for (const one of together(corpus.definitions)) {
    const headers = { 'content-type': 'application/yaml' }
    const answer = await server.request(DEFINITIONS, { method: 'POST', body: one.text, headers })
    if (answer.status === 201 && one.versions.length > 0) served.push(one)
  }
  expect(served.length).toBeGreaterThanOrEqual(LEAST.definitions / 2)
  const kinds = served.flatMap(({ group, versions, names }) => versions.map((v) => `${group}/${v} ${names.kind}`))
  const missing = (known: ReadonlySet<string>): readonly string[] => kinds.filter((kind) => !known.has(kind))
  const second = async (): Promise<ReadonlySet<string>> =>
    kindsIn((await server.must('/openapi/v2'))['definitions'] as Record<string, Documented>)
  await expect.poll(async () => missing(await second())).toEqual([])
  const third = new Set<string>()
  for (const version of new Set(kinds.map((kind) => kind.split(' ')[0]))) {
    const { components } = await server.must(`/openapi/v3/apis/${version}`)
    for (const kind of kindsIn((components as { schemas: Record<string, Documented> }).schemas)) third.add(kind)
  }
  expect(missing(third)).toEqual([])
  const [binary = ''] = await findKubectls()
  const kubectl = new Kubectl(binary, { kubeconfig: process.kubeconfigFile, home })
  const waiting = [...served]
  const unexplained: string[] = []
  const explain = async (): Promise<void> => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      const version = `--api-version=${one.group}/${one.versions[0]}`
      const { code, stdout, stderr } = await kubectl.run(['explain', one.names.plural, version])
      if (code !== 0 || !stdout.includes(`KIND:       ${one.names.kind}\n`)) unexplained.push(`${one.name}: ${stderr}`)
    }
  }
  await Promise.all([explain(), explain(), explain()])
  expect(unexplained).toEqual([])
})
