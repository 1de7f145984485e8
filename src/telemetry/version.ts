// What the program is and which level of the API it serves.
import { arch, platform, version as nodeVersion } from 'node:process'
import manifest from '../../package.json' with { type: 'json' }
import type { VersionInfo } from '../handlers/version.ts'

/** The level of the API, in the form that clients take for the version of the server. */
const API_LEVEL = '1.36.4'

export function programVersion(): string {
  return manifest.version
}

export function versionInfo(): VersionInfo {
  const [major = '', minor = ''] = API_LEVEL.split('.')
  return {
    major,
    minor,
    gitVersion: `v${API_LEVEL}+quarterdeck-${programVersion()}`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: `node ${nodeVersion}`,
    compiler: 'v8',
    platform: `${platform}/${arch === 'x64' ? 'amd64' : arch}`,
  }
}
