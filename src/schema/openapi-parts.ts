// The OpenAPI parts of the built-in resources: a part for each group-version, for each group, and for each root path.
import { createHash } from 'node:crypto'
import { type ApiLevel, DEFAULT_LEVEL } from '../api/level.ts'
import type { GroupVersion } from '../api/object.ts'
import { type BuiltInGroup, builtInGroups, type BuiltInResource } from './built-in-resources.ts'
import { BUILT_IN } from './built-in-compiled.ts'
import descriptions from './gen/built-in-descriptions.json' with { type: 'json' }
import {
  rootPath,
  type OpenApiPart,
  type OpenApiPath,
  type OpenApiResource,
  type TypeSchemas,
} from './openapi-model.ts'
import { documentOperation, META, operationId, PathWriter, tagOf } from './openapi-paths.ts'
import { BuiltInTypeSchemas, documentName } from './openapi-types.ts'

/** The resources whose deletion answers with the deleted object, some only in one version. */
const GIVES_OBJECT: ReadonlySet<string> = new Set([
  'pods',
  'services',
  'serviceaccounts',
  'persistentvolumes',
  'persistentvolumeclaims',
  'podtemplates',
  'resourcequotas',
  'storageclasses',
  'csidrivers',
  'csinodes',
  'volumeattachments',
  'volumeattributesclasses',
  'resourceclaims',
  'resourceclaimtemplates',
  'resourceslices',
  'deviceclasses',
  'v1alpha3/devicetaintrules',
  'v1beta2/devicetaintrules',
  'resourcepoolstatusrequests',
])

/** The schemas of the built-in types. Schemas of custom resources refer to some of them. */
export function builtInTypeSchemas(level: ApiLevel = DEFAULT_LEVEL): TypeSchemas {
  return new BuiltInTypeSchemas(level)
}

/** The parts of these groups. By default: of all built-in groups that are on by default. */
export function builtInOpenApiParts(
  level: ApiLevel = DEFAULT_LEVEL,
  groups: readonly BuiltInGroup[] = builtInGroups(level),
): readonly OpenApiPart[] {
  const types = new BuiltInTypeSchemas(level)
  const make = partMaker(level)
  const versions = groups.flatMap(({ group, versions: all }) =>
    all.map(({ version, resources }) => {
      const gv = { group, version }
      return make(rootPath(gv).slice(1), types.within(gv), () => new PathWriter(gv).paths(resources.map(describe)))
    }),
  )
  const roots = [
    make('api', types, () => [rootOperation('/api/', 'getCoreAPIVersions', 'APIVersions')]),
    make('apis', types, () => [rootOperation('/apis/', 'getAPIVersions', 'APIGroupList')]),
    make('version', types, () => [versionOperation()]),
    ...ISSUER.map((one) => make(one.key, types, () => [issuerOperation(one)])),
    ...groups.flatMap(({ group }) =>
      group === '' ? [] : [make(`apis/${group}`, types, () => [groupOperation(group)])],
    ),
  ]
  return [...roots, ...versions]
}

/** Returns a function that makes parts. All parts have one fingerprint, made from the level and from two generated files. */
function partMaker(level: ApiLevel): (key: string, types: TypeSchemas, paths: OpenApiPart['paths']) => OpenApiPart {
  const fingerprint = createHash('sha256')
    .update(level)
    .update(JSON.stringify(BUILT_IN))
    .update(JSON.stringify(descriptions))
    .digest('hex')
  return (key, types, paths) => ({ key, fingerprint, paths, types, isSecured: true })
}

function describe(resource: BuiltInResource): OpenApiResource {
  const { kind, plural, subresources } = resource
  return {
    ...resource,
    type: nameOf(resource, kind),
    listType: nameOf(resource, `${kind}List`),
    subresources: subresources.map((one) => ({ ...one, type: nameOf(one, one.kind) })),
    isCustom: false,
    deleteGivesObject: GIVES_OBJECT.has(plural) || GIVES_OBJECT.has(`${resource.version}/${plural}`),
  }
}

function nameOf({ group, version }: GroupVersion, kind: string): string {
  return documentName(`${group === '' ? 'core' : group}_${version}`, kind) ?? ''
}

function rootOperation(path: string, id: string, type: string): OpenApiPath {
  const tags = [path === '/api/' ? 'core' : 'apis']
  const description = 'The versions or groups that are served.'
  return { path, operations: [documentOperation({ id, tags, description, type: `${META}.${type}` })] }
}

function groupOperation(group: string): OpenApiPath {
  const gv = { group, version: '' }
  const [id, tags] = [operationId('get', gv, 'APIGroup'), [tagOf(gv)]]
  const description = 'The versions of this group.'
  return {
    path: `/apis/${group}/`,
    operations: [documentOperation({ id, tags, description, type: `${META}.APIGroup` })],
  }
}

function versionOperation(): OpenApiPath {
  const operation = documentOperation({
    id: 'getCodeVersion',
    tags: ['version'],
    description: 'The version of the server.',
    type: 'io.k8s.apimachinery.pkg.version.Info',
  })
  const types = ['application/json']
  return { path: '/version/', operations: [{ ...operation, consumes: types, produces: types }] }
}

/** The documents for verifying tokens of service accounts. */
const ISSUER = [
  {
    key: '.well-known/openid-configuration',
    id: 'getServiceAccountIssuerOpenIDConfiguration',
    tag: 'WellKnown',
    description: 'The issuer of service account tokens.',
    produces: ['application/json'],
  },
  {
    key: 'openid/v1/jwks',
    id: 'getServiceAccountIssuerOpenIDKeyset',
    tag: 'openid',
    description: 'The public keys of tokens of service accounts.',
    produces: ['application/jwk-set+json'],
  },
] as const

function issuerOperation({ key, id, tag, description, produces }: (typeof ISSUER)[number]): OpenApiPath {
  const answers = [{ code: 200, description: 'OK', content: { kind: 'text' } }] as const
  return {
    path: `/${key}/`,
    operations: [{ method: 'get', id, tags: [tag], description, parameters: [], consumes: [], produces, answers }],
  }
}
