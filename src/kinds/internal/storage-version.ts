// Storage versions: the versions in which replicas store objects. By default, the kind is not served.
import { FieldPath } from '../../api/field-path.ts'
import type {
  ServerStorageVersion,
  StorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from '../../api/gen/kinds.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { firstOf, orUnset } from '../../codec/tables/reading.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1035Label, dns1123Subdomain, type NameFormat, qualifiedName } from '../../schema/validation/formats.ts'
import { checkBuiltInMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { WITH_STATUS_ALONE } from '../shared/strategies.ts'

const STATUS = FieldPath.root<StorageVersionStatus>('status')
const SERVERS = STATUS.child('storageVersions')
const COMMON = STATUS.child('commonEncodingVersion')

/** Names consist of the group and the plural of a type. */
const typeName: NameFormat = (name) => {
  const dot = name.lastIndexOf('.')
  if (dot < 0) return ['name must be in the form of <group>.<resource>']
  return [
    ...dns1123Subdomain(name.slice(0, dot)).map((fault) => `the group segment ${fault}`),
    ...dns1035Label(name.slice(dot + 1)).map((fault) => `the resource segment ${fault}`),
  ]
}

const TOO_MANY_PARTS =
  "an apiVersion is a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')"

function versionFault(apiVersion: string): string | undefined {
  const parts = apiVersion.split('/')
  if (parts.length > 2) return TOO_MANY_PARTS
  const version = parts.at(-1) ?? ''
  const group = parts.length === 2 ? parts[0] : undefined
  const faults = [
    ...(group === undefined ? [] : faultsOf('group part', group, dns1123Subdomain)),
    ...faultsOf('version part', version, dns1035Label),
  ]
  return faults.length === 0 ? undefined : faults.join(',')
}

function faultsOf(part: string, text: string, format: (text: string) => readonly string[]): readonly string[] {
  return (text === '' ? ['must be non-empty'] : format(text)).map((fault) => `${part}: ${fault}`)
}

function checkServer(server: ServerStorageVersion, at: FieldPath<ServerStorageVersion>, check: Check): void {
  const { apiServerID: id = '', encodingVersion = '', decodableVersions = [], servedVersions = [] } = server
  check.format(at.child('apiServerID'), id, subdomainName(id, false))
  checkVersion(encodingVersion, at.child('encodingVersion'), check)
  const readable = at.child('decodableVersions')
  decodableVersions.forEach((version, i) => checkVersion(version, readable.index(i), check))
  if (!decodableVersions.includes(encodingVersion)) {
    check.invalid(readable, decodableVersions, `decodableVersions must include encodingVersion ${encodingVersion}`)
  }
  const known = new Set(decodableVersions)
  servedVersions.forEach((version, i) => {
    const place = at.child('servedVersions').index(i)
    checkVersion(version, place, check)
    if (known.has(version)) return
    const all = `[${decodableVersions.join(' ')}]`
    check.invalid(
      place,
      version,
      `individual served version : ${version} must be included in decodableVersions : ${all}`,
    )
  })
}

function checkVersion(version: string, at: FieldPath, check: Check): void {
  const fault = versionFault(version)
  if (fault !== undefined) check.invalid(at, version, fault)
}

function checkCommon({ storageVersions = [], commonEncodingVersion: said }: StorageVersionStatus, check: Check): void {
  const versions = new Set(storageVersions.map(({ encodingVersion = '' }) => encodingVersion))
  const common = versions.size === 1 ? [...versions][0] : undefined
  if (common === said) return
  const [value, detail] =
    common === undefined
      ? [
          said,
          'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet',
        ]
      : said === undefined
        ? [null, `the common encoding version is ${common}`]
        : [said, `the actual common encoding version is ${common}`]
  check.invalid(COMMON, value, detail)
}

/** The reference leaves the name of the list out of the path. */
function checkConditions(conditions: readonly StorageVersionCondition[], check: Check): void {
  const seen = new Map<string, number>()
  for (const [i, { type, status, reason, message = '' }] of conditions.entries()) {
    const at: FieldPath = (STATUS as FieldPath).index(i)
    const before = seen.get(type)
    if (before !== undefined) {
      const detail = `the type of the condition is not unique, it also appears in conditions[${before}]`
      check.invalid(at.child('type'), type, detail)
    }
    seen.set(type, i)
    check.format(at.child('type'), type, qualifiedName(type))
    check.format(at.child('status'), status, qualifiedName(status))
    if (reason === '') check.required(at.child('reason'))
    if (message === '') check.required(at.child('message'))
  }
}

function checkStatus(status: StorageVersionStatus, check: Check): void {
  const seen = new Set<string>()
  for (const [i, server] of (status.storageVersions ?? []).entries()) {
    check.unique(seen, server.apiServerID ?? '', SERVERS.index(i).child('apiServerID'))
    checkServer(server, SERVERS.index(i), check)
  }
  checkCommon(status, check)
  checkConditions(status.conditions ?? [], check)
}

export const STORAGE_VERSION: Kind = typedKind<StorageVersion>({
  validation: {
    create: (object, check) => {
      checkBuiltInMeta(object, typeName, check)
      checkStatus(object.status, check)
    },
    // The spec is empty, and the reference does not check the metadata.
    update: () => undefined,
    subresources: { status: ({ status }, _stored, check) => checkStatus(status, check) },
  },
  strategy: { status: WITH_STATUS_ALONE, conditionalUpdate: true },
  columns: tableOf([
    NAME,
    column('CommonEncodingVersion', 'The version that all replicas store.', ({ status }) =>
      orUnset(status.commonEncodingVersion ?? ''),
    ),
    column('StorageVersions', 'The version that each replica stores.', ({ status: { storageVersions = [] } }) => {
      const texts = storageVersions.map(({ apiServerID: id = '', encodingVersion = '' }) => `${id}=${encodingVersion}`)
      return orUnset(firstOf(texts, 3))
    }),
    AGE,
  ]),
})
