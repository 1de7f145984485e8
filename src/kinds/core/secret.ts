// Secrets: bounded, possibly frozen, and of types that each need their own keys.
import { FieldPath } from '../../api/field-path.ts'
import type { Value, ValueMap } from '../../api/value.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { checkFrozen, decodedLength, MAX_DATA_BYTES } from './config-map.ts'
import { configKey } from '../../schema/validation/formats.ts'
import { jsonObjectFault } from '../../lib/json-fault.ts'
import { partOf, textOf, textUnder } from '../../schema/validation/members.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  METADATA,
  subdomainName,
} from '../../schema/validation/object-meta.ts'
import type { KindRules } from '../../schema/validation/rules.ts'

const DATA = FieldPath.root('data')
const ACCOUNT_NAME = 'kubernetes.io/service-account.name'

export const secret: KindRules = {
  create: checkSecret,
  update: (object, stored, check) => {
    checkBuiltInMetaUpdate(object, stored, check)
    const type = textOf(object, 'type')
    if (type !== textOf(stored, 'type')) check.invalid(FieldPath.root('type'), type, IMMUTABLE)
    checkFrozen(object, stored, check)
    checkSecret(object, check)
  },
}

function checkSecret(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const data = partOf(object, 'data')
  let bytes = 0
  const look = (key: string, value: Value): void => {
    const faults = configKey(key)
    if (faults.length > 0) check.format(DATA.key(key), key, faults)
    if (typeof value === 'string') bytes += decodedLength(value)
  }
  check.members(data, look, () => {
    if (bytes > MAX_DATA_BYTES) check.tooLong(DATA, MAX_DATA_BYTES)
    checkByType(object, data, check)
  })
}

function checkByType(object: ValueMap, data: ValueMap, check: Check): void {
  switch (textOf(object, 'type')) {
    case 'kubernetes.io/service-account-token': {
      const account = textUnder(partOf(partOf(object, 'metadata'), 'annotations'), ACCOUNT_NAME) ?? ''
      if (account === '') check.required(METADATA.child('annotations').key(ACCOUNT_NAME))
      break
    }
    case 'kubernetes.io/dockercfg':
      checkJson(data, '.dockercfg', check)
      break
    case 'kubernetes.io/dockerconfigjson':
      checkJson(data, '.dockerconfigjson', check)
      break
    case 'kubernetes.io/basic-auth':
      if (Object.hasOwn(data, 'username') || Object.hasOwn(data, 'password')) break
      check.required(DATA.key('username'))
      check.required(DATA.key('password'))
      break
    case 'kubernetes.io/ssh-auth':
      if ((textUnder(data, 'ssh-privatekey') ?? '') === '') check.required(DATA.key('ssh-privatekey'))
      break
    case 'kubernetes.io/tls':
      for (const key of ['tls.crt', 'tls.key']) if (!Object.hasOwn(data, key)) check.required(DATA.key(key))
      break
    default:
  }
}

function checkJson(data: ValueMap, key: string, check: Check): void {
  const encoded = textUnder(data, key)
  if (encoded === undefined) {
    check.required(DATA.key(key))
    return
  }
  const fault = jsonObjectFault(Buffer.from(encoded, 'base64').toString('utf8'))
  if (fault !== undefined) check.invalid(DATA.key(key), '<secret contents redacted>', fault)
}
