// A rule of `x-kubernetes-validations`: its source, and its compiled form for the type of its node.
import { textOrEmpty } from '../../api/members.ts'
import { BOOL, type Compiled, compile, optionalOf, type Program, type Type } from '../../cel/cel.ts'
import { own, type ValueMap } from '../../api/value.ts'

export interface RuleText {
  readonly rule: string
  readonly message: string
  readonly messageExpression: string
  /** Empty: `FieldValueInvalid`. */
  readonly reason: string
  readonly fieldPath: string
  readonly optionalOldSelf: boolean | undefined
}

export function ruleTextOf(rule: ValueMap): RuleText {
  const text = (name: string): string => textOrEmpty(rule, name)
  const optional = own(rule, 'optionalOldSelf')
  return {
    rule: text('rule'),
    message: text('message'),
    messageExpression: text('messageExpression'),
    reason: text('reason'),
    fieldPath: text('fieldPath'),
    optionalOldSelf: typeof optional === 'boolean' ? optional : undefined,
  }
}

export interface CompiledRule {
  readonly text: RuleText
  /** Undefined: the rule is blank, or cannot be compiled for the reason in `problem`. */
  readonly program: Program | undefined
  readonly problem: string | undefined
  readonly message: Program | undefined
  readonly messageProblem: string | undefined
  /** Whether the rule reads the old value. */
  readonly isTransition: boolean
}

/** Compiles a rule. Never throws. Problems are in the reference's words. */
export function compileRule(text: RuleText, self: Type | undefined): CompiledRule {
  if (self === undefined)
    return refusedRule(text, 'rules cannot read a part of the schema that does not specify its type')
  const old = text.optionalOldSelf === true ? optionalOf(self) : self
  const environment = {
    variables: new Map<string, Type>([
      ['self', self],
      ['oldSelf', old],
    ]),
  }
  const rule = text.rule.trim() === '' ? undefined : compile(text.rule, environment)
  const program = rule?.kind === 'program' ? rule.program : undefined
  const problem = rule === undefined ? undefined : problemOf(rule, 'cel expression must evaluate to a bool', isBool)
  const expression = text.messageExpression.trim()
  const message = expression === '' || problem !== undefined ? undefined : compile(text.messageExpression, environment)
  const wrong = 'messageExpression must evaluate to a string'
  return {
    text,
    program: problem === undefined ? program : undefined,
    problem,
    message: message?.kind === 'program' && isText(message.program) ? message.program : undefined,
    messageProblem:
      message === undefined
        ? undefined
        : problemOf(message, wrong, isText)?.replace(
            /^(?:compilation|program (?=instantiation))/,
            (word) => `messageExpression ${word.replace('program ', '')}`,
          ),
    isTransition: program?.mentions('oldSelf') === true,
  }
}

function refusedRule(text: RuleText, problem: string): CompiledRule {
  return { text, program: undefined, problem, message: undefined, messageProblem: undefined, isTransition: false }
}

function problemOf(compiled: Compiled, wrong: string, fits: (program: Program) => boolean): string | undefined {
  if (compiled.kind === 'refused') return `compilation failed: ${compiled.text}`
  if (!fits(compiled.program)) return wrong
  const fault = compiled.program.instantiationFault()
  return fault === undefined ? undefined : `program instantiation failed: ${fault}`
}

function isBool({ resultType }: Program): boolean {
  return resultType.kind === BOOL.kind || resultType.kind === 'dyn'
}

function isText({ resultType }: Program): boolean {
  return resultType.kind === 'string'
}
