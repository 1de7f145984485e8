// /version: the API level that clients rely on (R-311, P-472). The JSON is always indented, for all clients.
import { methodNotAllowedError, refuseOtherTypes, unknownResourceError } from '../http/errors.ts'
import type { Handler } from '../http/http.ts'
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
    if (!/^\/version\/*$/.test(request.path)) throw unknownResourceError()
    if (request.method !== 'GET') throw methodNotAllowedError()
    refuseOtherTypes(request, 'application/json')
    return bytesOf('application/json', body)
  }
}
