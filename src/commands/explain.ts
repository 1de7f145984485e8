// `quarterdeck explain denied|conflict`: what a refusal means and what can be done about it; from the Status, from what kubectl
// printed, or by asking a server again, which changes nothing there.
import { parseArgs } from 'node:util'
import { type ConflictExplanation, type DeniedExplanation, EXPLANATION } from '../api/explanation.ts'
import { jsonOrAbsent } from '../api/json-text.ts'
import { textOrEmpty } from '../api/members.ts'
import { metaText } from '../api/object-members.ts'
import { formatGroupVersion, parseGroupVersion } from '../api/object.ts'
import type { StatusDetails } from '../api/status.ts'
import { isMap, type ValueMap } from '../api/value.ts'
import { ApiStatusError, type Client } from '../client/client.ts'
import { parseYaml } from '../codec/yaml-parse.ts'
import { splitDocuments } from '../codec/yaml-document.ts'
import { reasonOf, usageError } from '../config/start-error.ts'
import { apiResources, objectPath } from './api-resources.ts'
import { conflictText, deniedText, type Refusal } from './explanation-text.ts'
import { readInput } from './input.ts'
import { openClient, SERVER_FLAGS, type ServerFlags } from './server-flags.ts'

/** Resolves with the exit code: 1 where there is nothing to explain. */
export async function runExplain(args: readonly string[]): Promise<number> {
  const { about, flags, words } = parse(args)
  try {
    const text = about === 'denied' ? await explainDenied(words, flags) : await explainConflict(flags)
    process.stdout.write(text)
    return 0
  } catch (error) {
    process.stderr.write(`quarterdeck explain: ${reasonOf(error)}\n`)
    return 1
  }
}

interface ExplainFlags extends ServerFlags {
  readonly file?: string | undefined
  readonly apply?: string | undefined
  readonly namespace: string
  readonly manager: string
}

interface Asked {
  readonly about: 'denied' | 'conflict'
  readonly words: readonly string[]
  readonly flags: ExplainFlags
}

function parse(args: readonly string[]): Asked {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...SERVER_FLAGS,
        filename: { type: 'string', short: 'f' },
        apply: { type: 'string' },
        namespace: { type: 'string', short: 'n', default: 'default' },
        'field-manager': { type: 'string', default: 'kubectl' },
      },
    })
    const { filename: file, 'field-manager': manager, ...rest } = values
    const [about, ...words] = positionals
    const isWhole = about === 'denied' ? words.length !== 1 && words.length < 4 : words.length === 0
    if ((about === 'denied' || about === 'conflict') && isWhole)
      return { about, words, flags: { ...rest, file, manager } }
  } catch (error) {
    throw usageError(`${reasonOf(error)}; see quarterdeck explain --help`)
  }
  throw usageError('say denied or conflict, and of what; see quarterdeck explain --help')
}

async function explainDenied(words: readonly string[], flags: ExplainFlags): Promise<string> {
  if (words.length === 0) return deniedText(await readRefusal(flags))
  using client = openClient(flags, 'quarterdeck-explain')
  return await askReview(client, words, flags.namespace)
}

async function askReview(
  client: Client,
  [verb = '', what = '', name]: readonly string[],
  namespace: string,
): Promise<string> {
  const spec = what.startsWith('/')
    ? { nonResourceAttributes: { verb, path: what } }
    : { resourceAttributes: { verb, namespace, ...resourceIn(what), ...(name === undefined ? {} : { name }) } }
  const review = await post(client, 'authorization.k8s.io', 'SelfSubjectAccessReview', spec)
  const { status, metadata } = review
  if (status['allowed'] === true) return `It is allowed. ${textOrEmpty(status, 'reason')}\n`
  const self = await post(client, 'authentication.k8s.io', 'SelfSubjectReview', undefined)
  const user = textOrEmpty(self.status['userInfo'] as ValueMap, 'username')
  const explanation = JSON.parse(metadata.annotations?.[EXPLANATION] ?? '{}') as DeniedExplanation
  return deniedText({ message: textOrEmpty(status, 'reason'), details: {}, user, explanation })
}

interface Review {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
  readonly status: ValueMap
}

async function post(client: Client, group: string, kind: string, spec: object | undefined): Promise<Review> {
  const { text } = await client.request({
    method: 'POST',
    path: `/apis/${group}/v1/${kind.toLowerCase()}s`,
    query: { explain: true },
    body: { apiVersion: `${group}/v1`, kind, spec },
  })
  return JSON.parse(text) as Review
}

/** `pods`, `pods/log`, `deployments.apps/scale` */
function resourceIn(what: string): ValueMap {
  const [resource = '', subresource] = what.split('/')
  const [plural = '', ...group] = resource.split('.')
  return { resource: plural, group: group.join('.'), ...(subresource === undefined ? {} : { subresource }) }
}

async function explainConflict(flags: ExplainFlags): Promise<string> {
  if (flags.apply === undefined) return conflictText(await readRefusal(flags))
  using client = openClient(flags, 'quarterdeck-explain')
  const served = await apiResources(client)
  const texts: string[] = []
  for (const text of splitDocuments((await readInput(flags.apply)).toString())) {
    const object = parseYaml(Buffer.from(text)).value
    if (!isMap(object)) continue
    const { group, version } = parseGroupVersion(textOrEmpty(object, 'apiVersion')) ?? { group: '', version: '' }
    const kind = textOrEmpty(object, 'kind')
    const resource = served.find((each) => each.group === group && each.version === version && each.kind === kind)
    if (resource === undefined)
      throw new Error(`the server has no kind ${kind} in ${formatGroupVersion({ group, version })}`)
    const at = { name: metaText(object, 'name'), namespace: metaText(object, 'namespace') || flags.namespace }
    texts.push(await tryApply(client, objectPath(resource, at), { object, manager: flags.manager }))
  }
  return texts.join('\n')
}

async function tryApply(
  client: Client,
  path: string,
  applied: { readonly object: ValueMap; readonly manager: string },
): Promise<string> {
  try {
    await client.request({
      method: 'PATCH',
      path,
      query: { fieldManager: applied.manager, dryRun: 'All', explain: true },
      body: applied.object,
      contentType: 'application/apply-patch+yaml',
    })
    return `${path}: there is no conflict.\n`
  } catch (error) {
    if (!(error instanceof ApiStatusError) || error.reason !== 'Conflict') throw error
    return `${path}\n${conflictText(refusalIn(error.status as ValueMap))}`
  }
}

/** A Status in JSON, or any text that has the message of one. */
async function readRefusal({ file = '-' }: ExplainFlags): Promise<Refusal> {
  const text = (await readInput(file)).toString()
  const status = jsonOrAbsent(text)
  return isMap(status) ? refusalIn(status) : { message: text, details: {}, user: undefined, explanation: undefined }
}

function refusalIn(status: ValueMap): Refusal {
  const details = (status['details'] ?? {}) as StatusDetails
  const explanation = details.explanation as (DeniedExplanation & ConflictExplanation) | undefined
  return { message: textOrEmpty(status, 'message'), details, user: undefined, explanation }
}
