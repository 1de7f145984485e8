// The formats of strings in custom schemas. Unknown formats are ignored, and so are hyphens in their names (P-326).
import { isIPv4, isIPv6 } from 'node:net'

type Format = (text: string) => boolean

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?([0-9a-f])[0-9a-f]{3}-?([0-9a-f])[0-9a-f]{3}-?[0-9a-f]{12}$/i
const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/
const LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/
/** One word with a hyphen only after its first letter; or labels, the last one of letters only. */
const HOST_WORD = /^[a-zA-Z0-9\p{S}\p{L}]-?[a-zA-Z0-9\p{S}\p{L}]{0,62}$/u
const HOST_LABEL = /^[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u
const TOP_LABEL = /^[a-zA-Z\p{L}]{2,63}$/u

const FORMATS: Readonly<Record<string, Format>> = {
  bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/.test(text),
  uri: isRequestUri,
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => isIPv4(text),
  ipv6: (text) => isIPv6(text),
  cidr: isCidr,
  mac: (text) => isMac(text),
  uuid: (text) => UUID.test(text),
  uuid3: (text) => UUID.exec(text)?.[1] === '3',
  uuid4: (text) => isUuid(text, '4'),
  uuid5: (text) => isUuid(text, '5'),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  rgbcolor: isRgbColor,
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  password: () => true,
  date: (text) => isDate(text),
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && LABEL.test(text),
  k8slongname: (text) => text.length <= 253 && text.split('.').every((label) => LABEL.test(label)),
}

/** The formats of numbers. They are checked with the numbers. */
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

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/')
  if (more.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(bits)) return false
  return Number(bits) <= (isIPv4(address) ? 32 : isIPv6(address) && !address.includes('%') ? 128 : -1)
}

/** An absolute address, or a path from the root. */
function isRequestUri(text: string): boolean {
  if (text === '' || /[\s\p{Cc}]/u.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) return false
  return text === '*' || text.startsWith('/') || /^[a-zA-Z][a-zA-Z0-9+.-]*:.+/.test(text)
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at <= 0 || at === text.length - 1 || text.length > 998) return false
  const local = text.slice(0, at)
  const domain = text.slice(at + 1)
  const isLocal = /^[^\s"(),:;<>@[\\\]]+$/.test(local) && !/^\.|\.\.|\.$/.test(local)
  return (isLocal || /^"[^"\r\n]*"$/.test(local)) && (/^\[.*\]$/.test(domain) || /^[^\s"(),:;<>@[\\\]]+$/.test(domain))
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
    groups.some((n) => new RegExp(`^${pair}(?:([:-])${pair})(?:\\1${pair}){${n - 2}}$`).test(text)) ||
    /^[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})?(?:(?:\.[0-9a-fA-F]{4}){6})?$/.test(text)
  )
}

function isUuid(text: string, version: string): boolean {
  const found = UUID.exec(text)
  return found !== null && found[1] === version && /[89ab]/i.test(found[2] ?? '')
}

function isIsbn10(text: string): boolean {
  const plain = text.replaceAll(/[\s-]/g, '')
  if (!/^\d{9}[\dXx]$/.test(plain)) return false
  const sum = plain.split('').reduce((total, char, i) => total + (i + 1) * (/[Xx]/.test(char) ? 10 : Number(char)), 0)
  return sum % 11 === 0
}

function isIsbn13(text: string): boolean {
  const plain = text.replaceAll(/[\s-]/g, '')
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
  const found = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text)
  return found !== null && found.slice(1).every((part) => Number(part) <= 255 && !/^0\d/.test(part))
}

function isDate(text: string): boolean {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  return found !== null && isDay(Number(found[1]), Number(found[2]), Number(found[3]))
}

function isDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
}

function isDateTime(text: string): boolean {
  if (text === '') return false
  const found = DATE_TIME.exec(text)
  if (found === null) return false
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1).map(Number)
  return isDay(year, month, day) && hour < 24 && minute < 60 && second < 60
}

/** `1h30m`, or a number and a unit in words: `3 weeks`. */
function isDuration(text: string): boolean {
  if (
    /^[+-]?(?:0|(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))*)$/u.test(
      text,
    )
  )
    return true
  return /^\s*\d+(?:\.\d+)?\s*(?:ns|nanos?|us|\u00b5s|micros?|ms|millis?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)\s*$/iu.test(
    text,
  )
}
