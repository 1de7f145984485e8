// Validation of custom resource definitions. As in the reference, parts that all versions share are validated as members of the spec, and
// errors name them as v1beta1 does.
import { type Shown, shownJson } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { INDEXES } from '../../../api/indexed-place.ts'
import {
  isGiven,
  isTrue,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  textOrEmpty,
  textsInPlace,
} from '../../../api/members.ts'
import { annotationsOf, specOf, statusOf, withMembers } from '../../../api/object-members.ts'
import { equalValues, own, type ValueMap } from '../../../api/value.ts'
import { conditionHolds } from '../../../codec/tables/reading.ts'
import { indexFault } from '../../../schema/indexed-fields.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { dns1035Label, dns1123Subdomain, type NameFormat } from '../../../schema/validation/formats.ts'
import { checkMeta, checkMetaUpdate, METADATA, subdomainName } from '../../../schema/validation/object-meta.ts'
import type { KindRules } from '../../../schema/validation/rules.ts'
import { authorityFault } from '../../shared/pem.ts'
import { placedTexts } from '../../shared/placed-items.ts'
import { parseWebAddress } from '../../shared/web-address.ts'
import { checkClientConfig, checkReviewVersions } from '../../shared/webhook-client.ts'
import { checkSchema } from './schema-document.ts'
import { hasDefaults } from './schema-structure.ts'
import { checkColumns, checkSelectable, checkSubresources, checkVersion } from './version.ts'

const SPEC = FieldPath.root('spec')
const STATUS = FieldPath.root('status')
const APPROVAL = 'api-approved.kubernetes.io'
const APPROVAL_POLICY = 'see https://github.com/kubernetes/enhancements/pull/1111'

/** Fields that each version may have, or that all versions share. */
const SHARED: readonly string[] = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields']

interface Versions {
  /** Fields that are the same in all versions. */
  readonly common: ValueMap
  /** The versions without the common fields. */
  readonly versions: readonly ValueMap[]
}

function versionsOf(spec: ValueMap): Versions {
  const versions = mapsInPlace(spec, 'versions')
  const [first] = versions
  const shared = SHARED.filter((field) => versions.every((version) => equalValues(version[field], first?.[field])))
  const common = withMembers({}, Object.fromEntries(shared.map((field) => [field, first?.[field]])))
  const without = Object.fromEntries(shared.map((field) => [field, undefined]))
  return { common, versions: versions.map((version) => withMembers(version, without)) }
}

function hasSchema(version: ValueMap): boolean {
  return isGiven(mapOrEmpty(version, 'schema'), 'openAPIV3Schema')
}

function shownVersions(versions: readonly ValueMap[]): Shown {
  return shownJson(
    versions.map((version) => ({
      Name: textOrEmpty(version, 'name'),
      Served: isTrue(version, 'served'),
      Storage: isTrue(version, 'storage'),
      Deprecated: isTrue(version, 'deprecated'),
      DeprecationWarning: version['deprecationWarning'] ?? null,
      Schema: isGiven(version, 'schema') && !hasSchema(version) ? NO_SCHEMA : (version['schema'] ?? null),
      Subresources: version['subresources'] ?? null,
      AdditionalPrinterColumns: isGiven(version, 'additionalPrinterColumns')
        ? mapsInPlace(version, 'additionalPrinterColumns').map(shownColumn)
        : null,
      SelectableFields: isGiven(version, 'selectableFields')
        ? mapsInPlace(version, 'selectableFields').map((field) => ({ JSONPath: textOrEmpty(field, 'jsonPath') }))
        : null,
    })),
  )
}

const NO_SCHEMA: ValueMap = { OpenAPIV3Schema: null }

function shownColumn(column: ValueMap): ValueMap {
  return {
    Name: textOrEmpty(column, 'name'),
    Type: textOrEmpty(column, 'type'),
    Format: textOrEmpty(column, 'format'),
    Description: textOrEmpty(column, 'description'),
    Priority: column['priority'] ?? 0,
    JSONPath: textOrEmpty(column, 'jsonPath'),
  }
}

/** Checks the annotation with the indexes. A stored annotation may stay, because the schema may have changed since. */
function checkIndexes(object: ValueMap, stored: ValueMap | undefined, check: Check): void {
  const text = own(annotationsOf(object), INDEXES)
  if (text === undefined || (stored !== undefined && own(annotationsOf(stored), INDEXES) === text)) return
  const version = mapsInPlace(specOf(object), 'versions').find((one) => isTrue(one, 'storage')) ?? {}
  const fault = indexFault(text, mapOrEmpty(mapOrEmpty(version, 'schema'), 'openAPIV3Schema'))
  if (fault !== undefined) check.invalid(METADATA.child('annotations').key(INDEXES), text, fault)
}

function checkSpec(spec: ValueMap, check: Check): void {
  checkGroup(textOrEmpty(spec, 'group'), check)
  check.fields(spec, SPEC, 'apiextensions.k8s.io_v1.CustomResourceDefinitionSpec')
  const parts = versionsOf(spec)
  checkVersions(parts, check)
  check.fields(mapOrEmpty(spec, 'names'), SPEC.child('names'), 'apiextensions.k8s.io_v1.CustomResourceDefinitionNames')
  checkNames(mapOrEmpty(spec, 'names'), SPEC.child('names'), check)
  checkCommon(parts, check)
  const conversion = mapOrAbsent(spec, 'conversion')
  if (conversion === undefined) return
  const strategy = textOrEmpty(conversion, 'strategy')
  if (strategy !== 'None' && isTrue(spec, 'preserveUnknownFields')) {
    const at = SPEC.child('conversion').child('strategy')
    check.invalid(at, strategy, 'must be None if spec.preserveUnknownFields is true')
  }
  checkConversion(conversion, check)
}

function checkGroup(group: string, check: Check): void {
  const at = SPEC.child('group')
  const faults = dns1123Subdomain(group)
  if (group === '') check.required(at)
  else if (faults.length > 0) check.invalid(at, group, faults.join(','))
  else if (!group.includes('.')) check.invalid(at, group, 'should be a domain with at least one dot')
}

function hasStatus(part: ValueMap | undefined): boolean {
  return part !== undefined && isGiven(part, 'status')
}

function checkVersions({ common, versions }: Versions, check: Check): void {
  const list = SPEC.child('versions')
  for (const [i, version] of versions.entries()) {
    if (hasSchema(common) || hasSchema(version)) continue
    check.required(list.index(i).child('schema').child('openAPIV3Schema'))
  }
  for (const [i, version] of versions.entries()) {
    const name = textOrEmpty(version, 'name')
    const faults = dns1035Label(name)
    if (faults.length > 0) check.invalid(list.index(i).child('name'), name, faults.join(','))
    const subresources = mapOrAbsent(version, 'subresources') ?? mapOrAbsent(common, 'subresources')
    checkVersion(version, list.index(i), hasStatus(subresources), check)
  }
  const names = versions.map((version) => textOrEmpty(version, 'name'))
  if (new Set(names).size < names.length) {
    check.invalid(list, shownVersions(versions), 'must contain unique version names')
  }
  if (versions.filter((version) => isTrue(version, 'storage')).length !== 1) {
    check.invalid(list, shownVersions(versions), 'must have exactly one version marked as storage version')
  }
  const [first = ''] = names
  const faults = first === '' ? [] : dns1035Label(first)
  if (faults.length > 0) check.invalid(SPEC.child('version'), first, faults.join(','))
}

/** Checks the fields that all versions share, at the place where the reference keeps them. */
function checkCommon({ common, versions }: Versions, check: Check): void {
  const validation = mapOrAbsent(common, 'schema')
  const schema = validation === undefined ? undefined : mapOrAbsent(validation, 'openAPIV3Schema')
  const parts = [common, ...versions].map((version) => mapOrAbsent(version, 'subresources'))
  const at = SPEC.child('validation').child('openAPIV3Schema')
  if (schema !== undefined) checkSchema(schema, at, parts.some(hasStatus), check)
  checkSubresources(common, SPEC, check)
  checkColumns(common, SPEC, check)
  if (mapsInPlace(common, 'selectableFields').length === 0) return
  if (validation !== undefined) checkSelectable(common, schema ?? {}, SPEC, check)
  else check.invalid(SPEC.child('selectableFields'), '', 'may only be set when validations.schema is included')
}

function checkNames(names: ValueMap, at: FieldPath, check: Check): void {
  const checkName = (field: string, intro = ''): void => {
    const value = textOrEmpty(names, field)
    const faults = value === '' ? [] : dns1035Label(intro === '' ? value : value.toLowerCase())
    if (faults.length > 0) check.invalid(at.child(field), value, `${intro}${faults.join(',')}`)
  }
  const mixed = 'may have mixed case, but should otherwise match: '
  checkName('plural')
  checkName('singular')
  checkName('kind', mixed)
  checkName('listKind', mixed)
  checkLabelsOf(names, 'shortNames', at, check)
  const kind = textOrEmpty(names, 'kind')
  if (kind !== '' && kind === textOrEmpty(names, 'listKind')) {
    check.invalid(at.child('listKind'), kind, 'kind and listKind may not be the same')
  }
  checkLabelsOf(names, 'categories', at, check)
}

function checkLabelsOf(names: ValueMap, field: string, at: FieldPath, check: Check): void {
  for (const [name, place] of placedTexts(names, field, at)) {
    const faults = dns1035Label(name)
    if (faults.length > 0) check.invalid(place, name, faults.join(','))
  }
}

function checkConversion(conversion: ValueMap, check: Check): void {
  const at = SPEC.child('conversion')
  const strategy = textOrEmpty(conversion, 'strategy')
  const webhook = mapOrEmpty(conversion, 'webhook')
  const client = mapOrAbsent(webhook, 'clientConfig')
  const versions = textsInPlace(webhook, 'conversionReviewVersions')
  check.fields(conversion, at, 'apiextensions.k8s.io_v1.CustomResourceConversion')
  const place = at.child('webhookClientConfig')
  if (strategy === 'Webhook') {
    if (client === undefined) check.required(place, 'required when strategy is set to Webhook')
    else checkClientConfig(client, place, check)
    const scope = { check, missing: '', needsKnown: true }
    checkReviewVersions(versions, at.child('conversionReviewVersions'), scope)
    return
  }
  const detail = 'should not be set when strategy is not set to Webhook'
  if (client !== undefined) check.forbidden(place, detail)
  if (versions.length > 0) check.forbidden(at.child('conversionReviewVersions'), detail)
}

function checkStoredVersions(object: ValueMap, check: Check): void {
  const status = statusOf(object)
  checkNames(mapOrEmpty(status, 'acceptedNames'), STATUS.child('acceptedNames'), check)
  const at = STATUS.child('storedVersions')
  const stored = textsInPlace(status, 'storedVersions')
  if (stored.length === 0) {
    check.invalid(at, isGiven(status, 'storedVersions') ? stored : undefined, 'must have at least one stored version')
    return
  }
  const versions = mapsInPlace(specOf(object), 'versions')
  // Each stored name counts for one version: a second version of the same name is not found.
  const names = new Set(stored)
  for (const version of versions) {
    const name = textOrEmpty(version, 'name')
    const isFound = names.delete(name)
    if (isTrue(version, 'storage') && !isFound) check.invalid(at, stored, `must have the storage version ${name}`)
  }
  const known = new Set(versions.map((version) => textOrEmpty(version, 'name')))
  for (const [name, place] of placedTexts(status, 'storedVersions', STATUS)) {
    if (known.has(name)) continue
    const until = `a storage migration ensures no data remains persisted in ${name} and removes ${name}`
    const must = `${name} was previously a storage version, and must remain in spec.versions until ${until}`
    check.invalid(place, name, `missing from spec.versions; ${must} from status.storedVersions`)
  }
}

type Approval = 'missing' | 'approved' | 'bypassed' | 'invalid'

function approvalOf(object: ValueMap): Approval {
  const text = textOrEmpty(annotationsOf(object), APPROVAL)
  if (text === '') return 'missing'
  if (text.startsWith('unapproved')) return 'bypassed'
  const parsed = parseWebAddress(text)
  if (parsed.kind === 'fault' || parsed.address.host === '' || parsed.address.scheme === '') return 'invalid'
  return 'approved'
}

/** Groups under k8s.io and kubernetes.io need an approval. */
function checkApproval(object: ValueMap, stored: ValueMap | undefined, check: Check): void {
  const group = textOrEmpty(specOf(object), 'group')
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group)) return
  const approval = approvalOf(object)
  if (stored !== undefined && approvalOf(stored) === approval) return
  const at = METADATA.child('annotations').key(APPROVAL)
  const detail = `protected groups must have approval annotation "${APPROVAL}"`
  if (approval === 'missing') check.required(at, `${detail}, ${APPROVAL_POLICY}`)
  else if (approval === 'invalid') {
    const how = `${detail} with either a URL or a reason starting with "unapproved", ${APPROVAL_POLICY}`
    check.invalid(at, textOrEmpty(annotationsOf(object), APPROVAL), how)
  }
}

function checkPreserveUnknownFields(object: ValueMap, stored: ValueMap | undefined, check: Check): void {
  const spec = specOf(object)
  if (!isTrue(spec, 'preserveUnknownFields')) return
  const at = SPEC.child('preserveUnknownFields')
  const schemas = mapsInPlace(spec, 'versions').map((version) =>
    mapOrEmpty(mapOrEmpty(version, 'schema'), 'openAPIV3Schema'),
  )
  if (schemas.some(hasDefaults)) check.invalid(at, true, 'must be false in order to use defaults in the schema')
  if (stored !== undefined && isTrue(specOf(stored), 'preserveUnknownFields')) return
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
  check.invalid(at, true, detail)
}

function isEstablished(object: ValueMap): boolean {
  return conditionHolds(object, 'Established', 'status', 'conditions')
}

/** An invalid bundle is accepted if the stored bundle is also invalid, or if the definition is not established (P-314). */
function checkCaBundle(object: ValueMap, stored: ValueMap, check: Check): void {
  const bundleOf = (definition: ValueMap): string => {
    const conversion = mapOrEmpty(specOf(definition), 'conversion')
    return textOrEmpty(mapOrEmpty(mapOrEmpty(conversion, 'webhook'), 'clientConfig'), 'caBundle')
  }
  const fault = authorityFault(bundleOf(object))
  if (fault === undefined || !isEstablished(stored) || authorityFault(bundleOf(stored)) !== undefined) return
  const at = SPEC.child('conversion').child('webhookClientConfig').child('caBundle')
  check.invalid(at, bundleOf(object), fault)
}

function checkUpdate(object: ValueMap, stored: ValueMap, check: Check): void {
  const checkSame = (part: (definition: ValueMap) => ValueMap, at: FieldPath, field: string): void =>
    check.unchanged(at.child(field), textOrEmpty(part(object), field), textOrEmpty(part(stored), field))
  const namesOf = (definition: ValueMap): ValueMap => mapOrEmpty(specOf(definition), 'names')
  if (isEstablished(stored)) {
    checkSame(specOf, SPEC, 'scope')
    checkSame(namesOf, SPEC.child('names'), 'kind')
  }
  checkSame(specOf, SPEC, 'group')
  checkSame(namesOf, SPEC.child('names'), 'plural')
}

export const VALIDATION: KindRules = {
  create: (object, check) => {
    const spec = specOf(object)
    const wanted = `${textOrEmpty(mapOrEmpty(spec, 'names'), 'plural')}.${textOrEmpty(spec, 'group')}`
    const named: NameFormat = (name, prefix) =>
      name === wanted
        ? subdomainName(name, prefix)
        : [...subdomainName(name, prefix), 'must be spec.names.plural+"."+spec.group']
    checkMeta(object, named, check)
    checkIndexes(object, undefined, check)
    checkSpec(spec, check)
    checkStoredVersions(object, check)
    checkApproval(object, undefined, check)
    checkPreserveUnknownFields(object, undefined, check)
  },
  update: (object, stored, check) => {
    checkMetaUpdate(object, stored, check)
    checkIndexes(object, stored, check)
    checkSpec(specOf(object), check)
    checkCaBundle(object, stored, check)
    checkUpdate(object, stored, check)
    checkStoredVersions(object, check)
    checkApproval(object, stored, check)
    checkPreserveUnknownFields(object, stored, check)
  },
  subresources: {
    status: (object, stored, check) => {
      checkMetaUpdate(object, stored, check)
      checkNames(mapOrEmpty(statusOf(object), 'acceptedNames'), STATUS.child('acceptedNames'), check)
    },
  },
}
