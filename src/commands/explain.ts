// `quarterdeck explain denied|conflict`: what a refusal means and what can be done about it; from the Status, from what kubectl
// printed, or by asking a server again, which changes nothing there.
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
import { failureOf, usageError } from '../config/start-error.ts'
import { apiResources, objectPath } from './api-resources.ts'
import { readCommandLine, subcommandIn } from './command-flags.ts'
import { conflictText, deniedText, type Refusal } from './explanation-text.ts'
import { readInput } from './input.ts'
import { complain, printDocument } from './output.ts'
import { openClient } from './server-flags.ts'

/** Resolves with the exit code: 1 where there is nothing to explain. */
export async function runExplain(args: readonly string[]): Promise<number> {
  const explain = asked(args)
  try {
    await printDocument(await explain())
    return 0
  } catch (error) {
    complain(`quarterdeck explain: ${failureOf(error)}\n`)
    return 1
  }
}

type DeniedLine = ReturnType<typeof readCommandLine<'explain denied'>>
type ConflictFlags = ReturnType<typeof readCommandLine<'explain conflict'>>['read']

/** The explanation that is asked for. */
function asked(args: readonly string[]): () => Promise<string> {
  const { words, rest } = subcommandIn('explain', args)
  if (words === 'explain denied') {
    const line = readCommandLine(words, rest, { most: 3 })
    if (line.operands.length !== 1) return () => explainDenied(line)
  }
  if (words === 'explain conflict') {
    const { read } = readCommandLine(words, rest)
    return () => explainConflict(read)
  }
  throw usageError('say denied or conflict, and of what; see quarterdeck explain --help')
}

async function explainDenied({ read, operands }: DeniedLine): Promise<string> {
  if (operands.length === 0) return deniedText(await readRefusal(read.text('filename')))
  using client = openClient(read, 'quarterdeck-explain')
  return await askReview(client, operands, read.required('namespace').text)
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

async function explainConflict(read: ConflictFlags): Promise<string> {
  const manifest = read.text('apply')
  if (manifest === undefined) return conflictText(await readRefusal(read.text('filename')))
  const documents = splitDocuments((await readInput(manifest)).toString())
  const [namespace, manager] = [read.required('namespace').text, read.required('field-manager').text]
  using client = openClient(read, 'quarterdeck-explain')
  const served = await apiResources(client)
  const texts: string[] = []
  for (const text of documents) {
    const object = parseYaml(Buffer.from(text)).value
    if (!isMap(object)) continue
    const { group, version } = parseGroupVersion(textOrEmpty(object, 'apiVersion')) ?? { group: '', version: '' }
    const kind = textOrEmpty(object, 'kind')
    const resource = served.find((each) => each.group === group && each.version === version && each.kind === kind)
    if (resource === undefined)
      throw new Error(`the server has no kind ${kind} in ${formatGroupVersion({ group, version })}`)
    const at = { name: metaText(object, 'name'), namespace: metaText(object, 'namespace') || namespace }
    texts.push(await tryApply(client, objectPath(resource, at), { object, manager }))
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
async function readRefusal(file = '-'): Promise<Refusal> {
  const text = (await readInput(file)).toString()
  const status = jsonOrAbsent(text)
  return isMap(status) ? refusalIn(status) : { message: text, details: {}, user: undefined, explanation: undefined }
}

function refusalIn(status: ValueMap): Refusal {
  const details = (status['details'] ?? {}) as StatusDetails
  const explanation = details.explanation as (DeniedExplanation & ConflictExplanation) | undefined
  return { message: textOrEmpty(status, 'message'), details, user: undefined, explanation }
}
