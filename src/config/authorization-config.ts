// Who decides what users may do, by flags: the modes and what they need, or the file that says it all.
import { parseYaml } from '../codec/yaml-parse.ts'
import {
  AUTHORIZATION_MODES,
  type AuthorizationMode,
  type Decider,
  type AuthorizationWebhook,
  readAuthorizationFile,
} from './authorization-file.ts'
import { readFileAs } from './files.ts'
import { AUTHORIZATION_FLAGS } from './flags-access.ts'
import { duration, oneOf, type SettingReader } from './setting-reader.ts'
import { usageError } from './start-error.ts'

export interface AuthorizationSettings {
  /** In the order that they are asked in. */
  readonly deciders: readonly Decider[]
  readonly policyFile: string | undefined
  /** What `deciders` were read from, where that was a file. */
  readonly file: string | undefined
}

const FILE_FLAG = '--authorization-config'
const WEBHOOK_FLAG = '--authorization-webhook-config-file'
const WEBHOOK_TIMEOUT_MS = 30_000

export function authorizationSettings(read: SettingReader): AuthorizationSettings {
  const file = read.file('authorization-config')
  const policyFile = read.file('authorization-policy-file')
  const deciders = file === undefined ? decidersOfFlags(read) : decidersOfFile(read, file)
  const modes = modesOf({ deciders })
  if (modes.includes('ABAC') !== (policyFile !== undefined)) {
    throw usageError(
      policyFile === undefined
        ? 'authorization mode ABAC requires --authorization-policy-file'
        : '--authorization-policy-file requires authorization mode ABAC',
    )
  }
  if (modes.includes('AlwaysAllow') && !read.switch('dev')) {
    throw usageError('authorization mode AlwaysAllow allows every request; it requires --dev')
  }
  return { deciders, policyFile, file }
}

export function modesOf({ deciders }: Pick<AuthorizationSettings, 'deciders'>): readonly AuthorizationMode[] {
  return deciders.map((decider) => (decider.kind === 'mode' ? decider.mode : 'Webhook'))
}

/** Throws a `StartError` of one line. */
export function readDeciders(file: string): readonly Decider[] {
  return readFileAs(file, FILE_FLAG, (text) => {
    const { value, duplicates } = parseYaml(Buffer.from(text))
    if (duplicates.length > 0) throw new Error(duplicates[0])
    return readAuthorizationFile(value)
  })
}

function decidersOfFile(read: SettingReader, file: string): readonly Decider[] {
  const replaced = AUTHORIZATION_FLAGS.find(({ name }) => /-mode$|-webhook-/.test(name) && read.isSet(name))?.name
  if (replaced !== undefined) throw usageError(`${FILE_FLAG} and --${replaced} are mutually exclusive`)
  return readDeciders(file)
}

function decidersOfFlags(read: SettingReader): readonly Decider[] {
  const { text, source } = read.required('authorization-mode')
  const modes = text.split(',').map((mode) => oneOf({ text: mode.trim(), source }, AUTHORIZATION_MODES))
  const repeated = modes.find((mode, i) => modes.indexOf(mode) !== i)
  if (repeated !== undefined) throw usageError(`${source}: ${repeated} is listed twice`)
  const kubeconfigFile = read.file('authorization-webhook-config-file')
  if (modes.includes('Webhook') !== (kubeconfigFile !== undefined)) {
    throw usageError(
      kubeconfigFile === undefined
        ? `authorization mode Webhook requires ${WEBHOOK_FLAG}`
        : `${WEBHOOK_FLAG} requires authorization mode Webhook`,
    )
  }
  const webhook: AuthorizationWebhook = {
    kubeconfigFile,
    source: WEBHOOK_FLAG,
    version: oneOf(read.required('authorization-webhook-version'), ['v1', 'v1beta1']),
    timeoutMs: WEBHOOK_TIMEOUT_MS,
    allowedMs: duration(read.required('authorization-webhook-cache-authorized-ttl')),
    refusedMs: duration(read.required('authorization-webhook-cache-unauthorized-ttl')),
    onFailure: 'no-opinion',
    conditions: [],
  }
  return modes.map((mode) => {
    const name = mode.toLowerCase()
    return mode === 'Webhook' ? { kind: 'webhook', name, webhook } : { kind: 'mode', mode, name }
  })
}
