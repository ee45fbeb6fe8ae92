import type { Condition, Step } from '@farebox/flows/document/flow'
import { cutText } from '../../format/cut-text.ts'
import { formatSpan } from '../../format/duration.ts'
import { showValue } from './show-value.ts'

const MOST = 60

/** The purpose of a step in a few words. Empty for a job, because its capability already names it. */
export function describeStep(step: Step): string {
  switch (step.kind) {
    case 'job':
      return ''
    case 'template':
      return step.text === '' ? 'empty text' : cutText(step.text.replaceAll(/\s+/g, ' '), MOST)
    case 'pick':
      return step.path.length === 0 ? 'nothing chosen yet' : cutText(writeValuePath(step.path), MOST)
    case 'rename':
      return describeNames(Object.entries(step.names))
    case 'to-number':
      return 'a number read from text'
    case 'join':
      return `with ${describeSeparator(step.separator)} between items`
    case 'split':
      return `at ${describeSeparator(step.separator)}, up to ${step.most} items`
    case 'constant':
      return showValue(step.value)
    case 'default':
      return `${showValue(step.value)} if none is provided`
    case 'first':
      return `${step.count} inputs, in order`
    case 'branch':
      return `if ${describeCondition(step.condition)}`
    case 'approval':
      return cutText(step.question.replaceAll(/\s+/g, ' '), MOST)
    case 'wait':
      return step.seconds === undefined ? 'until a given time' : `for ${formatSpan(step.seconds)}`
  }
}

/** The condition of a branch, worded to follow `if`. */
function describeCondition(condition: Condition): string {
  switch (condition.is) {
    case 'there':
      return 'there is a value'
    case 'equal-to':
      return `it is ${showValue(condition.value, 30)}`
    case 'containing':
      return `it contains ${showValue(condition.value, 30)}`
    case 'less-than':
      return `it is less than ${condition.value}`
    case 'at-most':
      return `it is at most ${condition.value}`
    case 'greater-than':
      return `it is more than ${condition.value}`
    case 'at-least':
      return `it is at least ${condition.value}`
  }
}

/** Formats a path for people: `links[0].url`. */
export function writeValuePath(path: readonly (string | number)[]): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('')
}

function describeNames(names: readonly (readonly [string, string])[]): string {
  const [first] = names
  if (first === undefined) return 'nothing renamed yet'
  const more = names.length === 1 ? '' : `, ${names.length - 1} more`
  return cutText(`${first[0]} → ${first[1]}${more}`, MOST)
}

function describeSeparator(separator: string): string {
  if (separator === '') return 'nothing'
  if (separator === '\n') return 'a line break'
  if (separator === '\n\n') return 'an empty line'
  if (separator === ' ') return 'a space'
  return showValue(separator, 20)
}
