// Names of certificate signers: `domain.example/path.of.the.signer`.
import type { FieldPath } from '../../api/field-path.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Label, dns1123Subdomain, longerThan } from '../../schema/validation/formats.ts'

const MAX_DOMAIN = 253

/** A namespace, a dot and a name. */
const MAX_PATH = 253 + 63 + 1
const MAX_NAME = MAX_DOMAIN + 1 + MAX_PATH

export function checkSignerName(name: string, at: FieldPath, check: Check): void {
  if (name === '') {
    check.required(at)
    return
  }
  const parts = name.split('/')
  const [domain = '', path = ''] = parts
  if (parts.length !== 2) {
    check.invalid(at, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")
    return
  }
  if (longerThan(name, MAX_NAME)) {
    check.tooLong(at, MAX_NAME)
    return
  }
  const labels = domain.split('.')
  const bad = labels.map((label) => ({ label, faults: dns1123Label(label) })).find(({ faults }) => faults.length > 0)
  if (longerThan(domain, MAX_DOMAIN)) check.tooLong(at, MAX_DOMAIN)
  if (labels.length < 2) check.invalid(at, domain, 'should be a domain with at least two segments separated by dots')
  if (bad !== undefined) check.invalid(at, domain, `validating label "${bad.label}": ${bad.faults.join(',')}`)
  const faults = path.split('.').flatMap((part) => dns1123Subdomain(part))
  if (faults.length > 0) check.invalid(at, path, `validating label "${path}": ${faults.join(',')}`)
  if (longerThan(path, MAX_PATH)) check.tooLong(at, MAX_PATH)
}
