// Environment variables of containers: their names, and where their values come from.
import type {
  ConfigMapKeySelector,
  Container,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
} from '../../../api/gen/kinds.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { type Check, givenParts, type PartRule, type PartRules } from '../../../schema/validation/check.ts'
import { dns1123Subdomain } from '../../../schema/validation/formats.ts'
import { subdomainName } from '../../../schema/validation/object-meta.ts'
import { checkNoBacksteps } from '../paths.ts'
import { checkFieldRef, checkResourceFieldRef, ENVIRONMENT_FIELDS } from './downward-api.ts'

const ONE_AT_A_TIME = 'may not have more than one field specified at a time'

export function checkEnvironment(container: Container, at: FieldPath<Container>, check: Check): void {
  check.each(container, 'env', at, checkVariable)
  check.each(container, 'envFrom', at, (source, place) => checkSource(source, place, at.child('envFrom'), check))
}

function checkVariable(variable: EnvVar, at: FieldPath<EnvVar>, check: Check): void {
  check.fields(variable, at, 'core_v1.EnvVar')
  const { valueFrom: from, value = '' } = variable
  if (from !== undefined) checkValueFrom(from, value, at.child('valueFrom'), check)
}

const keyRef: PartRule<ConfigMapKeySelector> = (source, at, check) => {
  const { name = '' } = source
  check.format(at.child('name'), name, dns1123Subdomain(name))
  check.fields(source, at, 'core_v1.ConfigMapKeySelector', 'key')
}

const fileKeyRef: PartRule<FileKeySelector> = (source, at, check) => {
  check.fields(source, at, 'core_v1.FileKeySelector', 'key', 'volumeName', 'path')
  checkNoBacksteps(source.path, at.child('path'), check)
}

const VALUE_SOURCES: PartRules<EnvVarSource> = {
  fieldRef: (source, at, check) => checkFieldRef(source, ENVIRONMENT_FIELDS, at, check),
  resourceFieldRef: (source, at, check) => checkResourceFieldRef(source, at, check),
  configMapKeyRef: keyRef,
  secretKeyRef: keyRef,
  fileKeyRef,
}

const ONE_OF_FOUR = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`'

const ONE_OF_FIVE =
  'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'

function checkValueFrom(from: EnvVarSource, value: string, at: FieldPath<EnvVarSource>, check: Check): void {
  const parts = givenParts(from, at, VALUE_SOURCES, check)
  for (const part of parts) part.check()
  if (parts.length === 0) check.invalid(at, '', check.gate('EnvFiles') ? ONE_OF_FIVE : ONE_OF_FOUR)
  else if (value !== '') check.invalid(at, '', 'may not be specified when `value` is not empty')
  else if (parts.length > 1) check.invalid(at, '', ONE_AT_A_TIME)
}

function checkSource(source: EnvFromSource, at: FieldPath<EnvFromSource>, list: FieldPath, check: Check): void {
  check.fields(source, at, 'core_v1.EnvFromSource')
  let found = 0
  for (const field of ['configMapRef', 'secretRef'] as const) {
    const ref = source[field]
    if (ref === undefined) continue
    found++
    const { name = '' } = ref
    if (name === '') check.required(at.child(field).child('name'))
    else check.format(at.child(field).child('name'), name, subdomainName(name, true))
  }
  if (found === 0) check.invalid(list, '', 'must specify one of: `configMapRef` or `secretRef`')
  else if (found > 1) check.invalid(list, '', ONE_AT_A_TIME)
}
