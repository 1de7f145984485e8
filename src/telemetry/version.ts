// The version of the program, and the level of the API that it serves.
import { arch, platform, version as nodeVersion } from 'node:process'
import manifest from '../../package.json' with { type: 'json' }
import { type ApiLevel, DEFAULT_LEVEL } from '../api/level.ts'
import type { VersionInfo } from '../handlers/version.ts'

/** The releases that clients see as the version of the server, by the level of the API. */
const RELEASES: Readonly<Record<ApiLevel, string>> = { '1.36': '1.36.4', '1.37': '1.37.1' }

export function programVersion(): string {
  return manifest.version
}

export function versionInfo(level: ApiLevel = DEFAULT_LEVEL): VersionInfo {
  const release = RELEASES[level]
  const [major = '', minor = ''] = release.split('.')
  return {
    major,
    minor,
    gitVersion: `v${release}+quarterdeck-${programVersion()}`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: `node ${nodeVersion}`,
    compiler: 'v8',
    platform: `${platform}/${arch === 'x64' ? 'amd64' : arch}`,
  }
}
