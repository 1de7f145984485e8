// Public definitions put to two servers at once, with all that they are good for: whether each is accepted, what becomes of it, what
// discovery and the documents say of its kind, and the verdicts on samples of the kind and on nearly right ones.
import { jsonText, parseJsonText } from '../../src/api/json-text.ts'
import { isList, isMap, type Value, type ValueMap } from '../../src/api/value.ts'
import { answerDifferences, compare } from './answer-difference.ts'
import { mutatedSamples } from '../corpora/mutated-samples.ts'
import type { PublicCorpus, PublicDefinition } from '../corpora/public-corpus.ts'
import { namespaceOf, type PublicDocument } from '../corpora/public-modules.ts'
import type { OpenServer, ServerAnswer, ServerCall } from './running-server.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const POLICIES = '/apis/admissionregistration.k8s.io/v1'
const YAML = { 'content-type': 'application/yaml' }
/** How many groups are under way at a time. */
const GROUPS_AT_ONCE = 6
/** What is not the same by then never will be. */
const PATIENCE_MS = 120_000
const MAX_MUTATED_CHARACTERS = 60_000

/** One request that was answered in two ways. */
export interface Difference {
  readonly about: string
  readonly lines: readonly string[]
}

export interface Judged {
  readonly differences: readonly Difference[]
  readonly accepted: readonly PublicDefinition[]
  /** How many requests both answered. */
  readonly asked: number
  /** How many of them the reference refused. */
  readonly refused: number
  /** What refusals said. */
  readonly causes: ReadonlySet<string>
}

export interface JudgeOptions {
  readonly theirs: OpenServer
  readonly ours: OpenServer
  readonly seed: number
  /** Of a kind that has more, these many samples are tried. */
  readonly samples: number
  /** Nearly right ones for each sample, where the definition has rules and where it has none. */
  readonly mutants: { readonly ofRules: number; readonly ofOthers: number }
}

export async function judgeCorpus(corpus: PublicCorpus, options: JudgeOptions): Promise<Judged> {
  const judge = new Judge(corpus, options)
  await judge.run()
  return judge
}

class Judge implements Judged {
  readonly differences: Difference[] = []
  readonly accepted: PublicDefinition[] = []
  readonly causes = new Set<string>()
  asked = 0
  refused = 0
  readonly #corpus: PublicCorpus
  readonly #options: JudgeOptions
  readonly #sampled = new Set<PublicDocument>()
  readonly #namespaces = new Map<string, Promise<unknown>>()

  constructor(corpus: PublicCorpus, options: JudgeOptions) {
    this.#corpus = corpus
    this.#options = options
  }

  async run(): Promise<void> {
    const groups = [...Map.groupBy(this.#corpus.definitions, ({ group }) => group).values()]
    await Promise.all(
      Array.from({ length: GROUPS_AT_ONCE }, async () => {
        for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
          for (const round of roundsOf(group)) await this.#round(round)
        }
      }),
    )
    for (const { module, place, kind, text } of this.#corpus.policies) {
      const path = `${POLICIES}/${kind.toLowerCase().replace(/y$/, 'ie')}s?dryRun=All`
      await this.#ask(`policy ${module} ${place}`, path, { method: 'POST', body: text, headers: YAML })
    }
  }

  /** Definitions that can be there together. */
  async #round(definitions: readonly PublicDefinition[]): Promise<void> {
    const made: PublicDefinition[] = []
    for (const one of definitions) {
      const call = { method: 'POST', body: one.text, headers: YAML }
      if (await this.#ask(`definition ${describe(one)}`, DEFINITIONS, call)) made.push(one)
    }
    const served: PublicDefinition[] = []
    for (const one of made) if (await this.#settle(one)) served.push(one)
    const versions = new Set(served.flatMap(({ group, versions: names }) => names.map((name) => `${group}/${name}`)))
    for (const version of versions) await this.#compareDocuments(version, served)
    for (const one of served) await this.#judgeSamples(one)
    this.accepted.push(...served)
    await this.#remove(definitions)
  }

  /** Waits until both have made up their minds about its names. Whether both serve it. */
  async #settle(one: PublicDefinition): Promise<boolean> {
    const path = `${DEFINITIONS}/${one.name}`
    const isSettled = (all: Both): boolean =>
      all.every((answer) => isServedIn(answer) !== undefined) && answerDifferences(...all).length === 0
    const answers = await this.#both(path, {}, isSettled)
    const isServed = answers.every((answer) => isServedIn(answer) === true)
    this.#note(`what became of ${describe(one)}`, answerDifferences(...answers))
    for (const version of isServed ? one.versions : []) {
      await this.#both(`${placeOf(one, version, 'default')}?limit=1`, {}, (all) =>
        all.every(({ status }) => status === 200),
      )
    }
    return isServed
  }

  async #compareDocuments(version: string, served: readonly PublicDefinition[]): Promise<void> {
    const kinds = served.filter(({ group, versions }) => versions.some((name) => `${group}/${name}` === version))
    const differences = ([wanted, found]: Both): readonly string[] => {
      const told: string[] = []
      if (wanted.status !== 200 || found.status !== 200) return [`status: ${wanted.status}, ours ${found.status}`]
      const [a, b] = [wanted, found].map(({ body }) => ofCustomKinds(parseJsonText(body) as ValueMap))
      const text = found.body
      for (const { names } of kinds) if (!text.includes(`"kind":"${names.kind}"`)) told.push(`${names.kind} is missing`)
      compare(a, b, '', told)
      return told
    }
    const answers = await this.#both(`/openapi/v3/apis/${version}`, {}, (both) => differences(both).length === 0)
    this.#note(`the document of ${version} with ${kinds.map(describe).join(', ')}`, differences(answers))
    const listed = await this.#both(`/apis/${version}`, {}, (both) => discoveryDifferences(both).length === 0)
    this.#note(`discovery of ${version}`, discoveryDifferences(listed))
  }

  async #judgeSamples(one: PublicDefinition): Promise<void> {
    const { seed, mutants, samples } = this.#options
    for (const version of one.versions) {
      const all = this.#corpus.samples.get(`${one.group}/${version} ${one.names.kind}`) ?? []
      // Those of other projects are tried once.
      const fitting = all.filter((sample) => sample.module === one.module || !this.#sampled.has(sample))
      for (const sample of spread(fitting, samples)) {
        this.#sampled.add(sample)
        const namespace = namespaceOf(sample)
        if (one.isNamespaced) await this.#makeNamespace(namespace)
        const path = `${placeOf(one, version, namespace)}?dryRun=All`
        const about = `sample ${sample.module} ${sample.place} of ${describe(one)}`
        const call = { method: 'POST', body: sample.text, headers: YAML }
        const isMade = await this.#ask(about, path, call)
        await this.#ask(`strict ${about}`, `${path}&fieldValidation=Strict`, call)
        if (!isMade || sample.text.length > MAX_MUTATED_CHARACTERS) continue
        const count = one.rules.length > 0 ? mutants.ofRules : mutants.ofOthers
        for (const { name, value } of mutatedSamples(sample.value, seed + numberOf(sample), count)) {
          await this.#ask(`${name} in ${about}`, path, { method: 'POST', body: jsonText(value) })
        }
      }
    }
  }

  #makeNamespace(name: string): Promise<unknown> {
    const made =
      this.#namespaces.get(name) ??
      this.#both('/api/v1/namespaces', { method: 'POST', body: { metadata: { name } } }, () => true)
    this.#namespaces.set(name, made)
    return made
  }

  async #remove(definitions: readonly PublicDefinition[]): Promise<void> {
    for (const { name } of definitions) await this.#both(`${DEFINITIONS}/${name}`, { method: 'DELETE' }, () => true)
    for (const { name } of definitions) {
      await this.#both(`${DEFINITIONS}/${name}`, {}, (all) => all.every(({ status }) => status === 404))
    }
  }

  /** Whether both took it. */
  async #ask(about: string, path: string, call: ServerCall): Promise<boolean> {
    const answers = await this.#both(path, call, () => true)
    this.asked += 1
    this.#note(about, answerDifferences(...answers))
    const [wanted] = answers
    if (wanted.status >= 400) {
      this.refused += 1
      const { details } = wanted.json() as { details?: { causes?: readonly { message?: string }[] } }
      for (const { message } of details?.causes ?? []) this.causes.add(message ?? '')
    }
    return answers.every(({ status }) => status < 300)
  }

  #note(about: string, lines: readonly string[]): void {
    if (lines.length > 0) this.differences.push({ about, lines })
  }

  /** Asks again until both have come to what is waited for, or never will. */
  async #both(path: string, call: ServerCall, isEnough: (answers: Both) => boolean): Promise<Both> {
    const { theirs, ours } = this.#options
    const end = Date.now() + PATIENCE_MS
    for (;;) {
      const answers: Both = await Promise.all([theirs.request(path, call), ours.request(path, call)])
      if (isEnough(answers) || Date.now() > end) return answers
      await new Promise((resolve) => void setTimeout(resolve, 100))
    }
  }
}

type Both = readonly [ServerAnswer, ServerAnswer]

function describe({ name, module, place }: PublicDefinition): string {
  return `${name} (${module} ${place})`
}

/** The same for a sample in every run, whatever was judged before it. */
function numberOf({ module, place }: PublicDocument): number {
  let number = 0
  for (const character of `${module} ${place}`) number = (number * 31 + (character.codePointAt(0) ?? 0)) >>> 0
  return number
}

/** So many of them, from the first to the last. */
function spread<T>(all: readonly T[], count: number): readonly T[] {
  const step = Math.max(1, all.length / count)
  return all.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step))
}

/** No name and no kind twice at a time. */
function roundsOf(definitions: readonly PublicDefinition[]): readonly (readonly PublicDefinition[])[] {
  const rounds: { readonly taken: Set<string>; readonly members: PublicDefinition[] }[] = []
  for (const one of definitions) {
    const marks = [one.name, `kind ${one.names.kind}`]
    let round = rounds.find(({ taken }) => !marks.some((mark) => taken.has(mark)))
    if (round === undefined) rounds.push((round = { taken: new Set(), members: [] }))
    for (const mark of marks) round.taken.add(mark)
    round.members.push(one)
  }
  return rounds.map(({ members }) => members)
}

function placeOf({ group, names, isNamespaced }: PublicDefinition, version: string, namespace: string): string {
  return `/apis/${group}/${version}/${isNamespaced ? `namespaces/${namespace}/` : ''}${names.plural}`
}

/** Undefined as long as the server has not decided about a definition's names. */
function isServedIn(answer: ServerAnswer): boolean | undefined {
  const { status } = answer.json() as { status?: { conditions?: readonly { type: string; status: string }[] } }
  const has = (type: string, is: string): boolean =>
    (status?.conditions ?? []).some((one) => one.type === type && one.status === is)
  if (has('Established', 'True')) return true
  return has('NamesAccepted', 'False') || has('KubernetesAPIApprovalPolicyConformant', 'False') ? false : undefined
}

/** The operations and the kinds of a document, without the words that a server adds: those are its own. */
function ofCustomKinds({ paths, components }: ValueMap): ValueMap {
  const { schemas } = (components ?? {}) as { schemas?: ValueMap }
  const own = Object.entries(schemas ?? {}).filter(([name]) => !name.startsWith('io.k8s.'))
  const kinds = own.map(([name, schema]) => [name, withoutAddedWords(name, schema as ValueMap)] as const)
  return { paths: withoutDescriptions(paths ?? {}), schemas: Object.fromEntries(kinds) }
}

function withoutAddedWords(name: string, schema: ValueMap): Value {
  const { properties } = schema
  if (name.endsWith('List')) return withoutDescriptions(schema)
  if (properties === undefined || !isMap(properties)) return schema
  const plain = Object.entries(properties).map(([field, one]) => [
    field,
    ['apiVersion', 'kind', 'metadata'].includes(field) ? withoutDescriptions(one) : one,
  ])
  return { ...schema, properties: Object.fromEntries(plain) as ValueMap }
}

function withoutDescriptions(value: Value): Value {
  if (isList(value)) return value.map(withoutDescriptions)
  if (!isMap(value)) return value
  const kept = Object.entries(value).filter(([key, member]) => key !== 'description' || typeof member !== 'string')
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutDescriptions(member)]))
}

function discoveryDifferences(answers: Both): readonly string[] {
  const [wanted, found] = answers.map(({ body }) => {
    const { resources = [], ...others } = parseJsonText(body) as { resources?: readonly { readonly name: string }[] }
    return { ...others, resources: Object.fromEntries(resources.map((one) => [one.name, one])) }
  })
  const told: string[] = []
  compare(wanted, found, '', told)
  return told
}
