import type { AdapterStep, Step } from '@farebox/flows/document/flow'

/** A step without a price that can be added. */
export interface FreeStep {
  readonly kind: Exclude<Step['kind'], 'job'>
  readonly name: string
  /** What it does, for whoever chooses. */
  readonly words: string
  readonly step: Exclude<Step, { readonly kind: 'job' }>
}

/** Adapters: they change a value. */
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
    words: 'one value out of an object or a list',
    step: { kind: 'pick', path: [] },
  },
  {
    kind: 'template',
    name: 'Template',
    words: 'text with values in it',
    step: { kind: 'template', text: '{value}' },
  },
  { kind: 'to-number', name: 'To number', words: 'a number read from text', step: { kind: 'to-number' } },
  { kind: 'join', name: 'Join', words: 'one text made from a list', step: { kind: 'join', separator: '\n' } },
  {
    kind: 'split',
    name: 'Split',
    words: 'a list from a text',
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
    words: 'a value to use when none arrives',
    step: { kind: 'default', value: '' },
  },
]

/** What decides which way a run goes, and when. */
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
    words: 'the first value to come from several branches',
    step: { kind: 'first', count: 2 },
  },
  {
    kind: 'approval',
    name: 'Approval',
    words: 'a person reviews it first',
    step: { kind: 'approval', question: 'Continue?' },
  },
  {
    kind: 'wait',
    name: 'Wait',
    words: 'for a period or until a set time',
    step: { kind: 'wait', seconds: 60 },
  },
]
