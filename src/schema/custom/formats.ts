// The formats of strings in custom schemas. Unknown formats are ignored, and so are hyphens in their names (P-326).
import { isIPv6 } from 'node:net'
import { parseDurationFormat } from '../../lib/duration.ts'
import { parseCidr, parseIp } from '../../lib/ip-bits.ts'
import { isEmail, isRequestUri } from './address-formats.ts'

type Format = (text: string) => boolean

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?([0-9a-f])[0-9a-f]{3}-?([0-9a-f])[0-9a-f]{3}-?[0-9a-f]{12}$/i
/** The text after the first T of a date and time. Any character may begin the fraction. */
const TIME_OF_DAY = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/u
const LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/
/** A host name is one word, with a hyphen only after its first character, or several labels. The last label has only letters. */
const HOST_WORD = /^[a-zA-Z0-9\p{S}\p{L}]-?[a-zA-Z0-9\p{S}\p{L}]{0,62}$/u
const HOST_LABEL = /^[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u
const TOP_LABEL = /^[a-zA-Z\p{L}]{2,63}$/u

const FORMATS: Readonly<Record<string, Format>> = {
  bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/.test(text),
  uri: isRequestUri,
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => text.includes('.') && parseIp(text) !== undefined,
  ipv6: (text) => isIPv6(text) && !text.includes('%'),
  cidr: (text) => parseCidr(text) !== undefined,
  mac: (text) => isMac(text),
  uuid: (text) => UUID.test(text),
  uuid3: (text) => UUID.exec(text)?.[1] === '3',
  uuid4: (text) => isUuid(text, '4'),
  uuid5: (text) => isUuid(text, '5'),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => /^\d{3}[- ]\d{2}[- ]\d{4}$/.test(text),
  hexcolor: (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  rgbcolor: isRgbColor,
  byte: (text) => text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  password: () => true,
  date: (text) => isDate(text),
  duration: (text) => parseDurationFormat(text) !== undefined,
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && LABEL.test(text),
  k8slongname: (text) => text.length <= 253 && text.split('.').every((label) => LABEL.test(label)),
}

/** The formats of numbers, which `numbers.ts` checks. */
const NUMBER_FORMATS: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
}

function formatOf(name: string): Format | undefined {
  const plain = name.replaceAll('-', '')
  return Object.hasOwn(FORMATS, plain) ? FORMATS[plain] : undefined
}

/** Whether the format has a meaning for values of that type. Definitions get a warning otherwise (P-326). */
export function isRecognizedFormat(name: string, type: string): boolean {
  if (type === '' || type === 'string') return formatOf(name) !== undefined
  return (Object.hasOwn(NUMBER_FORMATS, type) ? NUMBER_FORMATS[type] : undefined)?.includes(name) ?? false
}

export function isOfFormat(name: string, text: string): boolean {
  return formatOf(name)?.(text) ?? true
}

function isHostname(text: string): boolean {
  const labels = text.split('.')
  if (text.length > 255 || labels.some((label) => Buffer.byteLength(label) > 63)) return false
  if (labels.length === 1) return HOST_WORD.test(text)
  return TOP_LABEL.test(labels.pop() ?? '') && labels.every((label) => HOST_LABEL.test(label))
}

function isMac(text: string): boolean {
  const pair = '[0-9a-fA-F]{2}'
  const groups = [6, 8, 20]
  return (
    /^(?:[0-9a-fA-F]{12}|[0-9a-fA-F]{16}|[0-9a-fA-F]{40})$/.test(text) ||
    groups.some((n) => new RegExp(`^${pair}(?:([:-])${pair})(?:\\1${pair}){${n - 2}}$`).test(text)) ||
    /^[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})?(?:(?:\.[0-9a-fA-F]{4}){6})?$/.test(text)
  )
}

function isUuid(text: string, version: string): boolean {
  const found = UUID.exec(text)
  return found !== null && found[1] === version && /[89ab]/i.test(found[2] ?? '')
}

function isIsbn10(text: string): boolean {
  const plain = text.replaceAll(/[\t\n\f\r -]/g, '')
  if (!/^\d{9}[\dX]$/.test(plain)) return false
  const sum = plain.split('').reduce((total, char, i) => total + (i + 1) * (char === 'X' ? 10 : Number(char)), 0)
  return sum % 11 === 0
}

function isIsbn13(text: string): boolean {
  const plain = text.replaceAll(/[\t\n\f\r -]/g, '')
  if (!/^\d{13}$/.test(plain)) return false
  return plain.split('').reduce((total, char, i) => total + Number(char) * (i % 2 === 0 ? 1 : 3), 0) % 10 === 0
}

function isCreditCard(text: string): boolean {
  const plain = text.replaceAll(/\D/g, '')
  if (
    !/^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/.test(
      plain,
    )
  )
    return false
  const sum = plain
    .split('')
    .reverse()
    .reduce((total, char, i) => {
      const digit = Number(char) * (i % 2 === 0 ? 1 : 2)
      return total + (digit > 9 ? digit - 9 : digit)
    }, 0)
  return sum % 10 === 0
}

function isRgbColor(text: string): boolean {
  const space = '[\\t\\n\\f\\r ]*'
  const found = new RegExp(
    `^rgb\\(${space}(\\d{1,3})${space},${space}(\\d{1,3})${space},${space}(\\d{1,3})${space}\\)$`,
  ).exec(text)
  return found !== null && found.slice(1).every((part) => Number(part) <= 255 && !/^0\d/.test(part))
}

function isDate(text: string): boolean {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  return found !== null && isDay(Number(found[1]), Number(found[2]), Number(found[3]))
}

function isDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
}

/** The text after a second T does not count. */
function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t')
  const found = TIME_OF_DAY.exec(time)
  if (found === null || !isDate(date)) return false
  const [hour = 0, minute = 0, second = 0] = found.slice(1).map(Number)
  return hour < 24 && minute < 60 && second < 60
}
