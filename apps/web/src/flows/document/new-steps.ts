import type { AdapterStep, Step } from '@farebox/flows/document/flow'

/** A free step that can be added. */
export interface FreeStep {
  readonly kind: Exclude<Step['kind'], 'job'>
  readonly name: string
  /** Its purpose, in a few words. */
  readonly words: string
  readonly step: Exclude<Step, { readonly kind: 'job' }>
}

/** Adapters: steps that change a value. */
export const ADAPTERS: readonly (FreeStep & { readonly step: AdapterStep })[] = [
  {
    kind: 'rename',
    name: 'Rename',
    words: 'new names for an object’s properties',
    step: { kind: 'rename', names: {} },
  },
  {
    kind: 'pick',
    name: 'Pick',
    words: 'one value from an object or a list',
    step: { kind: 'pick', path: [] },
  },
  {
    kind: 'template',
    name: 'Template',
    words: 'text with values inserted',
    step: { kind: 'template', text: '{value}' },
  },
  { kind: 'to-number', name: 'To number', words: 'a number read from text', step: { kind: 'to-number' } },
  {
    kind: 'join',
    name: 'Join',
    words: 'a list joined into one text',
    step: { kind: 'join', separator: '\n' },
  },
  {
    kind: 'split',
    name: 'Split',
    words: 'text split into a list',
    step: { kind: 'split', separator: '\n', most: 100 },
  },
  {
    kind: 'constant',
    name: 'Constant',
    words: 'a fixed value',
    step: { kind: 'constant', value: '' },
  },
  {
    kind: 'default',
    name: 'Default',
    words: 'a value to use when none is provided',
    step: { kind: 'default', value: '' },
  },
]

/** Steps that decide which path a run takes, and when it continues. */
export const WAYS: readonly FreeStep[] = [
  {
    kind: 'branch',
    name: 'Branch',
    words: 'one path or the other, based on a value',
    step: { kind: 'branch', condition: { is: 'there' } },
  },
  {
    kind: 'first',
    name: 'First of',
    words: 'the first available value from several branches',
    step: { kind: 'first', count: 2 },
  },
  {
    kind: 'approval',
    name: 'Approval',
    words: 'waits for a person’s approval',
    step: { kind: 'approval', question: 'Continue?' },
  },
  {
    kind: 'wait',
    name: 'Wait',
    words: 'for a set period or until a set time',
    step: { kind: 'wait', seconds: 60 },
  },
]
