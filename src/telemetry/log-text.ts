// A line of the log as a person reads it: the time, the level, the message and the fields, with colours if the terminal shows them.

const COLOURS: Readonly<Record<string, string>> = { debug: '2', info: '32', warn: '33', error: '1;31' }
const DIM = '2'

export interface TextStyle {
  readonly hasColours: boolean
  /** Whether a line has only the time of day, without the date, because a person reads it at once. */
  readonly isShort: boolean
}

/** `line`: one event as JSON, as the log writes it. */
export function textOfLine(line: string, { hasColours, isShort }: TextStyle): string {
  const { level, time, msg, component, worker, err, ...fields } = JSON.parse(line) as LineMembers
  const paint = (code: string | undefined, text: string): string =>
    hasColours && code !== undefined ? `\x1b[${code}m${text}\x1b[0m` : text
  const places = [component, worker === undefined ? undefined : `worker ${worker}`].filter(
    (place) => place !== undefined,
  )
  const pairs = Object.entries(fields).map(([name, value]) => `${paint(DIM, `${name}=`)}${inText(value)}`)
  const words = [
    paint(DIM, isShort ? time.slice(11, 23) : time),
    paint(COLOURS[level], level.toUpperCase().padEnd(5)),
    ...(places.length === 0 ? [] : [paint(DIM, `[${places.join(', ')}]`)]),
    ...(msg === undefined ? [] : [inOneLine(msg)]),
    ...pairs,
    ...(err === undefined ? [] : [`${paint(DIM, 'err=')}${inText(err.message ?? err)}`]),
  ]
  return [words.join(' '), ...stackLines(err?.stack).map((call) => paint(DIM, call)), ''].join('\n')
}

interface LineMembers {
  readonly level: string
  readonly time: string
  readonly msg?: string
  readonly component?: string
  readonly worker?: string
  readonly err?: { readonly message?: string; readonly stack?: string }
  readonly [field: string]: unknown
}

/** Puts a text that could be read as something else in quotation marks. */
function inText(value: unknown): string {
  return typeof value === 'string' && /^[^\s"={}[\]]+$/.test(value) ? value : JSON.stringify(value)
}

/** Puts a message in one line. With a line feed, it would look like two events. */
function inOneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ')
}

/** Returns the calls below the message of an error. They are indented, so that they do not look like events. */
function stackLines(stack = ''): readonly string[] {
  return stack
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .map((line) => `    ${line}`)
}
