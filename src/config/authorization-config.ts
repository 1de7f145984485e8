// The configuration of authorization: the modes and their flags, or --authorization-config.
import {
  AUTHORIZATION_MODES,
  type AuthorizationMode,
  type AuthorizerConfig,
  type AuthorizationWebhook,
  readAuthorizationFile,
} from './authorization-file.ts'
import { readDocument } from './files.ts'
import { AUTHORIZATION_FLAGS } from './flags-access.ts'
import { duration, oneOf, type SettingReader } from './setting-reader.ts'
import { usageError } from './start-error.ts'

export interface AuthorizationSettings {
  /** In the order of their decisions. */
  readonly authorizers: readonly AuthorizerConfig[]
  readonly policyFile: string | undefined
  /** The file of `authorizers`, if there is one. */
  readonly file: string | undefined
}

const FILE_FLAG = '--authorization-config'
const WEBHOOK_FLAG = '--authorization-webhook-config-file'
const WEBHOOK_TIMEOUT_MS = 30_000

export function authorizationSettings(read: SettingReader): AuthorizationSettings {
  const file = read.file('authorization-config')
  const policyFile = read.file('authorization-policy-file')
  const authorizers = file === undefined ? authorizersOfFlags(read) : authorizersOfFile(read, file)
  const modes = modesOf({ authorizers })
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
  return { authorizers, policyFile, file }
}

export function modesOf({ authorizers }: Pick<AuthorizationSettings, 'authorizers'>): readonly AuthorizationMode[] {
  return authorizers.map((authorizer) => (authorizer.kind === 'mode' ? authorizer.mode : 'Webhook'))
}

/** Throws a `StartError` of one line. */
export function readAuthorizers(file: string): readonly AuthorizerConfig[] {
  return readDocument(file, FILE_FLAG, readAuthorizationFile)
}

function authorizersOfFile(read: SettingReader, file: string): readonly AuthorizerConfig[] {
  const replaced = AUTHORIZATION_FLAGS.find(({ name }) => /-mode$|-webhook-/.test(name) && read.isSet(name))?.name
  if (replaced !== undefined) throw usageError(`${FILE_FLAG} and --${replaced} are mutually exclusive`)
  return readAuthorizers(file)
}

function authorizersOfFlags(read: SettingReader): readonly AuthorizerConfig[] {
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
