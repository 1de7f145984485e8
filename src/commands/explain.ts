// `quarterdeck explain denied|conflict`: explains a refusal and its remedy. It reads the Status or the text that kubectl printed, or asks a
// server again by a dry run.
import { type ConflictExplanation, type DeniedExplanation, EXPLANATION } from '../api/explanation.ts'
import { jsonOrAbsent } from '../api/json-text.ts'
import { asMap, textOrEmpty } from '../api/members.ts'
import { metaText } from '../api/object-members.ts'
import type { StatusDetails } from '../api/status.ts'
import { isMap, type ValueMap } from '../api/value.ts'
import { ApiStatusError, type Client } from '../client/client.ts'
import { parseYaml } from '../codec/yaml-parse.ts'
import { splitDocuments } from '../codec/yaml-document.ts'
import { failureOf, reasonOf, StartError, usageError } from '../config/start-error.ts'
import { apiResources, checkScope, findResource, objectPath, resourceOf } from './api-resources.ts'
import { readCommandLine, subcommandIn } from './command-flags.ts'
import { conflictText, deniedText, type Refusal } from './explanation-text.ts'
import { inputName, readInput } from './input.ts'
import { complain, printDocument } from './output.ts'
import { openClient } from './server-flags.ts'

const HINT = '; see quarterdeck explain --help'

/** The exit code is 1 if there is nothing to explain. */
export async function runExplain(args: readonly string[]): Promise<number> {
  const explain = asked(args)
  try {
    await printDocument(await explain())
    return 0
  } catch (error) {
    // An unreadable file has a system error as its cause. A wrong flag has no cause.
    if (error instanceof StartError && error.cause === undefined) throw error
    complain(`quarterdeck explain: ${failureOf(error)}\n`)
    return 1
  }
}

type DeniedLine = ReturnType<typeof readCommandLine<'explain denied'>>
type ConflictFlags = ReturnType<typeof readCommandLine<'explain conflict'>>['read']

function asked(args: readonly string[]): () => Promise<string> {
  const { words, rest } = subcommandIn('explain', args)
  if (words === 'explain denied') {
    const line = readCommandLine(words, rest, { most: 3 })
    checkDenied(line)
    return () => explainDenied(line)
  }
  if (words === 'explain conflict') {
    const { read } = readCommandLine(words, rest)
    return () => explainConflict(read)
  }
  throw usageError(`give denied or conflict${args[0] === undefined ? '' : `, not "${args[0]}"`}${HINT}`)
}

/** With a verb, the command asks a server. Without a verb, it reads a Status. Refuses the flags of the other case. */
function checkDenied({ read, operands: [verb, what, name] }: DeniedLine): void {
  if (verb !== undefined && what === undefined) throw usageError(`give a resource or a path after ${verb}${HINT}`)
  const isPath = what?.startsWith('/') === true
  const others = verb === undefined ? ['namespace', 'kubeconfig', 'context'] : ['filename', isPath ? 'namespace' : '']
  const stray = read.given(others)[0]?.replace(/=.*/s, '') ?? (isPath ? name : undefined)
  if (stray === undefined) return
  throw usageError(
    `${stray} ${verb === undefined ? 'requires VERB and RESOURCE' : `is not for ${verb} ${what}`}${HINT}`,
  )
}

async function explainDenied({ read, operands }: DeniedLine): Promise<string> {
  if (operands.length === 0) return deniedText(await readRefusal(read.text('filename')))
  using client = openClient(read, 'quarterdeck-explain')
  const namespace = read.required('namespace').text
  const [resource = ''] = operands[1]?.split('/') ?? []
  if (read.isSet('namespace')) checkScope(findResource(await apiResources(client), resource), namespace)
  return await askReview(client, operands, namespace)
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
  const objects = objectsIn(inputName(manifest), (await readInput(manifest)).toString())
  const [namespace, manager] = [read.required('namespace').text, read.required('field-manager').text]
  using client = openClient(read, 'quarterdeck-explain')
  const served = await apiResources(client)
  const texts: string[] = []
  for (const object of objects) {
    const kind = textOrEmpty(object, 'kind')
    const resource = resourceOf(served, textOrEmpty(object, 'apiVersion'), kind)
    const at = { name: metaText(object, 'name'), namespace: metaText(object, 'namespace') || namespace }
    if (read.isSet('namespace') && at.namespace !== namespace)
      throw usageError(`--namespace ${namespace}: ${kind} ${at.name} is in the namespace ${at.namespace}`)
    texts.push(await tryApply(client, objectPath(resource, at), { object, manager }))
  }
  return texts.join('\n')
}

/** The objects in a text. Throws an error that names the file and the document. */
function objectsIn(file: string, text: string): readonly ValueMap[] {
  const objects = splitDocuments(text).map((document, i) => {
    try {
      const object = asMap(parseYaml(Buffer.from(document)).value)
      const words = [textOrEmpty(object, 'apiVersion'), textOrEmpty(object, 'kind'), metaText(object, 'name')]
      if (words.every((word) => word !== '')) return object
    } catch (error) {
      throw new Error(`${file}, document ${i + 1}: ${reasonOf(error)}`, { cause: error })
    }
    throw new Error(`${file}, document ${i + 1}: an object to apply needs its apiVersion, kind and metadata.name`)
  })
  if (objects.length === 0) throw new Error(`${file} has no object`)
  return objects
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

/** Reads a Status in JSON, or a text with the message of a Status. */
async function readRefusal(file = '-'): Promise<Refusal> {
  const text = (await readInput(file)).toString()
  if (text.trim() === '') throw new Error(`${inputName(file)} is empty: give the Status or the message of a refusal`)
  const status = jsonOrAbsent(text)
  return isMap(status) ? refusalIn(status) : { message: text, details: {}, user: undefined, explanation: undefined }
}

function refusalIn(status: ValueMap): Refusal {
  const details = (status['details'] ?? {}) as StatusDetails
  const explanation = details.explanation as (DeniedExplanation & ConflictExplanation) | undefined
  return { message: textOrEmpty(status, 'message'), details, user: undefined, explanation }
}
