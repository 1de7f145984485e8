// Nodes: taints, ranges of addresses for pods, and what they report they have.
import { FieldPath } from '../../api/field-path.ts'
import { shownJson } from '../../api/field-error.ts'
import { equalValues, type ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { longerThan } from '../../schema/validation/formats.ts'
import { checkCidr, parseCidr } from '../shared/ip-address.ts'
import { numberIn, partOf, partsOf, textOf, textsOf } from '../../schema/validation/members.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  METADATA,
  subdomainName,
} from '../../schema/validation/object-meta.ts'
import { checkAmount } from '../shared/resource-names.ts'
import type { KindRules, UpdateRule } from '../../schema/validation/rules.ts'
import { checkTaints } from '../shared/pod-spec/tolerations.ts'

const SPEC = FieldPath.root('spec')
const STATUS = FieldPath.root('status')
const FEATURE = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z0-9]+)*$/

function checkCreate(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const spec = partOf(object, 'spec')
  const status = partOf(object, 'status')
  checkTaints(partsOf(spec, 'taints'), METADATA.child('taints'), check)
  checkResources(status, check)
  const swap = numberIn(partOf(partOf(status, 'nodeInfo'), 'swap'), 'capacity')
  if (swap !== undefined && swap <= 0) {
    check.invalid(METADATA.child('nodeSwapStatus').child('capacity'), swap, 'must be greater than zero')
  }
  checkFeatures(textsOf(status, 'declaredFeatures'), check)
  const ranges = textsOf(spec, 'podCIDRs')
  const at = SPEC.child('podCIDRs')
  for (const [i, range] of ranges.entries()) checkCidr(range, at.index(i), check)
  if (ranges.length < 2) return
  const families = ranges.map((range) => parseCidr(range)?.address.family)
  const odd = families.indexOf(undefined)
  if (odd >= 0) {
    const fault = `invalid CIDR[${odd}]: <nil> (invalid CIDR address: ${ranges[odd]})`
    check.internal(at, `invalid PodCIDRs. failed to check with dual stack with error:${fault}`)
  }
  if (odd >= 0 || ranges.length > 2 || families[0] === families[1]) {
    check.invalid(at, ranges, 'may specify no more than one CIDR for each IP family')
  }
}

function checkResources(status: ValueMap, check: Check): void {
  for (const field of ['capacity', 'allocatable']) {
    for (const [name, amount] of Object.entries(partOf(status, field))) {
      checkAmount(name, amount, { at: STATUS.child(field).child(name), check })
    }
  }
}

/** Names of features, each once and in alphabetical order. */
function checkFeatures(features: readonly string[], check: Check): void {
  const list = STATUS.child('declaredFeatures')
  for (const [i, feature] of features.entries()) {
    const named = `invalid feature name "${feature}"`
    if (longerThan(feature, 253)) check.invalid(list.index(i), feature, `${named}: must be no more than 253 characters`)
    else if (!FEATURE.test(feature)) {
      const form =
        "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
      check.invalid(list.index(i), feature, `${named}: ${form}`)
    }
    const next = features[i + 1]
    if (next === feature) check.duplicate(list.index(i + 1), next)
    else if (next !== undefined && feature > next) {
      check.invalid(list.index(i + 1), next, 'list must be sorted alphabetically')
    }
  }
}

const ONCE = 'except from "" to valid'

const checkUpdate: UpdateRule = (object, stored, check) => {
  checkBuiltInMetaUpdate(object, stored, check)
  const spec = partOf(object, 'spec')
  const old = partOf(stored, 'spec')
  const status = partOf(object, 'status')
  checkResources(status, check)
  checkFeatures(textsOf(status, 'declaredFeatures'), check)
  checkAddresses(status, check)
  const ranges = textsOf(old, 'podCIDRs')
  if (ranges.length > 0 && !equalValues(ranges, textsOf(spec, 'podCIDRs'))) {
    check.forbidden(SPEC.child('podCIDRs'), `node updates may not change podCIDR ${ONCE}`)
  }
  const provider = textOf(old, 'providerID')
  if (provider !== '' && provider !== textOf(spec, 'providerID')) {
    check.forbidden(SPEC.child('providerID'), `node updates may not change providerID ${ONCE}`)
  }
  checkTaints(partsOf(spec, 'taints'), METADATA.child('taints'), check)
  if (textOf(spec, 'externalID') !== textOf(old, 'externalID')) {
    check.forbidden(SPEC.child('externalID'), 'may not be updated')
  }
}

function checkAddresses(status: ValueMap, check: Check): void {
  const seen = new Set<string>()
  for (const [i, entry] of partsOf(status, 'addresses').entries()) {
    const type = textOf(entry, 'type')
    const address = textOf(entry, 'address')
    const key = `${type}\0${address}`
    if (seen.has(key)) check.duplicate(STATUS.child('addresses').index(i), shownJson({ Type: type, Address: address }))
    seen.add(key)
  }
}

/** The reference checks a changed node as a new one first. */
const checkChanged: UpdateRule = (object, stored, check) => {
  checkCreate(object, check)
  checkUpdate(object, stored, check)
}

export const node: KindRules = {
  create: checkCreate,
  update: checkChanged,
  subresources: { status: checkUpdate },
}
