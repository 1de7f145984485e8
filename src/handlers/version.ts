// /version: the API level that clients go by (R-311, P-472). Always indented, for everyone.
import { ApiError } from '../api/status.ts'
import { methodNotAllowedError, notFoundError } from '../http/errors.ts'
import type { Handler, HttpRequest } from '../http/http.ts'
import { bytesOf } from '../http/responses.ts'

export interface VersionInfo {
  readonly major: string
  readonly minor: string
  /** A semantic version with a `v`: kubectl and Helm parse it. */
  readonly gitVersion: string
  readonly gitCommit: string
  readonly gitTreeState: string
  readonly buildDate: string
  readonly goVersion: string
  readonly compiler: string
  readonly platform: string
}

export function showVersion(version: VersionInfo): Handler {
  const { major, minor, ...build } = version
  const emulation = { emulationMajor: major, emulationMinor: minor }
  const compatibility = { minCompatibilityMajor: major, minCompatibilityMinor: String(Number(minor) - 1) }
  const body = Buffer.from(JSON.stringify({ major, minor, ...emulation, ...compatibility, ...build }, undefined, 2))
  return (request) => {
    if (request.path !== '/version' && request.path !== '/version/') throw notFoundError()
    if (request.method !== 'GET') throw methodNotAllowedError()
    if (!takesJson(request)) {
      const message = '406: Not Acceptable\n\nAvailable representations: application/json'
      throw new ApiError('NotAcceptable', message, { details: {} })
    }
    return bytesOf('application/json', body)
  }
}

function takesJson({ headers: { accept } }: HttpRequest): boolean {
  if (typeof accept !== 'string' || accept.trim() === '') return true
  return accept
    .split(',')
    .map((clause) => clause.split(';', 1)[0]?.trim())
    .some((type) => type === 'application/json' || type === '*/*' || type === 'application/*')
}
