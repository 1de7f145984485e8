// Names of the form `domain.example/path`.
import type { FieldPath } from '../../api/field-path.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Subdomain, HTTP_PATH_FAULT, isHttpPath } from '../../schema/validation/formats.ts'

export function checkDomainPath(text: string, at: FieldPath, check: Check): void {
  if (text === '') {
    check.required(at)
    return
  }
  const [domain = '', ...rest] = text.split('/')
  const path = rest.join('/')
  if (domain === '' || path === '') {
    check.invalid(at, text, 'must be a domain-prefixed path (such as "acme.io/foo")')
    return
  }
  check.format(at, domain, dns1123Subdomain(domain))
  if (!isHttpPath(path)) check.invalid(at, path, HTTP_PATH_FAULT)
}
