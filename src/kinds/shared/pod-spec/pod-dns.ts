// The DNS configuration of a pod.
import type { PodDNSConfig, PodSpec } from '../../../api/gen/kinds.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { dns1123SubdomainWithUnderscore, longerThan } from '../../../schema/validation/formats.ts'
import { checkIp } from '../ip-address.ts'

const MAX_NAMESERVERS = 3
const MAX_SEARCHES = 32
const MAX_SEARCH_BYTES = 2048

export function checkDnsConfig(
  { dnsConfig: config, dnsPolicy }: PodSpec,
  at: FieldPath<PodDNSConfig>,
  check: Check,
): void {
  const isAlone = dnsPolicy === 'None'
  if (config === undefined) {
    if (isAlone) check.required(at, 'must provide `dnsConfig` when `dnsPolicy` is None')
    return
  }
  const { nameservers: servers = [], searches = [] } = config
  if (isAlone && servers.length === 0) {
    check.required(at.child('nameservers'), 'must provide at least one DNS nameserver when `dnsPolicy` is None')
    return
  }
  if (servers.length > MAX_NAMESERVERS) {
    check.invalid(at.child('nameservers'), servers, `must not have more than ${MAX_NAMESERVERS} nameservers`)
  }
  for (const [i, server] of servers.entries()) checkIp(server, at.child('nameservers').index(i), check)
  checkSearches(searches, at.child('searches'), check)
  check.each(config, 'options', at, ({ name = '' }, place) => {
    if (name === '') check.required(place, 'must not be empty')
  })
}

function checkSearches(searches: readonly string[], at: FieldPath, check: Check): void {
  if (searches.length > MAX_SEARCHES) {
    check.invalid(at, searches, `must not have more than ${MAX_SEARCHES} search paths`)
  }
  if (longerThan(searches.join(' '), MAX_SEARCH_BYTES)) {
    const detail = `must not have more than ${MAX_SEARCH_BYTES} characters (including spaces) in the search list`
    check.invalid(at, searches, detail)
  }
  for (const [i, search] of searches.entries()) {
    if (search === '.') continue
    const domain = search.endsWith('.') ? search.slice(0, -1) : search
    check.format(at.index(i), domain, dns1123SubdomainWithUnderscore(domain))
  }
}
