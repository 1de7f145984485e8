// Who is let in, from the configuration.
import { type Authenticator, bearerTokens, firstOf } from '../auth/authenticator.ts'
import { clientCertificates } from '../auth/client-certificate.ts'
import { parseTokenFile, type TokenFile, tokenLookup } from '../auth/token-file.ts'
import type { Log } from '../lib/log.ts'
import { ADMIN } from './admin.ts'
import type { Config } from './config.ts'
import { readTextFile } from './files.ts'
import { reasonOf, StartError } from './start-error.ts'

export function openAuthenticator(config: Config, adminToken: string, log: Log): Authenticator {
  const lookups = [tokenLookup(new Map([[adminToken, ADMIN]]))]
  if (config.tokenFile !== undefined) {
    const { users, skippedLines } = readTokenFile(config.tokenFile)
    for (const line of skippedLines) log.warn({ file: config.tokenFile, line }, 'empty token skipped')
    lookups.push(tokenLookup(users))
  }
  const certificates = config.clientCaFile === undefined ? [] : [clientCertificates()]
  return firstOf([...certificates, bearerTokens(lookups)])
}

function readTokenFile(file: string): TokenFile {
  const text = readTextFile(file, '--token-auth-file')
  try {
    return parseTokenFile(text)
  } catch (error) {
    throw new StartError(`--token-auth-file ${file}: ${reasonOf(error)}`, { cause: error })
  }
}
