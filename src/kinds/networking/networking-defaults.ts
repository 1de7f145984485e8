// The defaults of the networking group.
import { absent, always, each, isEmpty, type Rule, within } from '../../schema/defaults/rule.ts'

const ports = each(within({ protocol: absent('TCP') }))

const peers = each(within({ ports }))

/** A policy speaks of what comes in, and of what goes out where it has rules for that. */
const policyTypes: Rule = (given, _, parent) => {
  if (!isEmpty(given)) return given
  return isEmpty(parent['egress']) ? ['Ingress'] : ['Ingress', 'Egress']
}

export const NETWORKING: Readonly<Record<string, Rule>> = {
  IngressClass: within({ spec: within({ parameters: within({ scope: absent('Cluster') }) }) }),
  NetworkPolicy: within({ spec: always({ policyTypes, ingress: peers, egress: peers }) }),
}
