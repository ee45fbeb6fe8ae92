import { nearest } from '@farebox/protocol/internal/problems/nearest'
import type { Field, FieldMap } from '@farebox/protocol/fields/field'
import { EXIT, CommandError } from '../../command-error.ts'
import { printable } from '../../terminal/printable.ts'
import { CALL_OPTIONS } from './call-option-names.ts'

/** What a flag stands for. */
export interface FieldTarget {
  /** As it was written, for messages: `--options.depth`. */
  readonly flag: string
  /** Names from the outside in. */
  readonly path: readonly string[]
  /** Undefined inside of an object that declares no properties: anything may be there. */
  readonly field: Field | undefined
}

/** An input nests no deeper (D15). */
const MAX_PATH_STEPS = 60

/**
 * Finds the declared field of a flag: `text`, or with dots into objects, `options.depth`.
 *
 * @throws {CommandError} for one that is not declared, with the one that was probably meant
 */
export function findTarget(name: string, fields: FieldMap): FieldTarget {
  const flag = `--${printable(name)}`
  if (Object.hasOwn(fields, name)) return { flag, path: [name], field: fields[name] }
  const path = name.split('.')
  let known: FieldMap | undefined = fields
  let field: Field | undefined
  if (path.length > MAX_PATH_STEPS) throw refuse(`${flag.slice(0, 40)}… is nested too deeply`, '')
  for (const [index, step] of path.entries()) {
    // An object without declared properties takes what comes.
    if (known === undefined) break
    if (!Object.hasOwn(known, step)) throw unknown(path.slice(0, index), step, known)
    field = known[step]
    if (index === path.length - 1) return { flag, path, field }
    if (field?.type !== 'object') {
      const whole = printable(path.slice(0, index + 1).join('.'))
      throw refuse(`${flag} is not there: --${whole} is of type ${field?.type ?? 'unknown'}`, '')
    }
    known = field.properties
  }
  return { flag, path, field: undefined }
}

function unknown(before: readonly string[], step: string, known: FieldMap): CommandError {
  const names = Object.keys(known)
  const written = (name: string): string => `--${printable([...before, name].join('.'))}`
  const options = before.length === 0 ? CALL_OPTIONS : []
  const guess = nearest(step, [...names, ...options])
  const meant = guess === undefined ? '' : `, did you mean ${written(guess)}?`
  const next =
    names.length === 0 ? 'it takes no fields' : `it takes ${names.slice(0, 20).map(written).join(', ')}`
  return refuse(`${written(step)} is not one of its fields${meant}`, next)
}

function refuse(message: string, next: string): CommandError {
  return new CommandError(message, next, { exitCode: EXIT.usage })
}
