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
    words: 'other names for an object’s properties',
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
    words: 'a text with values in it',
    step: { kind: 'template', text: '{value}' },
  },
  { kind: 'to-number', name: 'To number', words: 'the number that a text says', step: { kind: 'to-number' } },
  { kind: 'join', name: 'Join', words: 'one text from a list', step: { kind: 'join', separator: '\n' } },
  {
    kind: 'split',
    name: 'Split',
    words: 'a list from a text',
    step: { kind: 'split', separator: '\n', most: 100 },
  },
  {
    kind: 'constant',
    name: 'Constant',
    words: 'a value that is always the same',
    step: { kind: 'constant', value: '' },
  },
  {
    kind: 'default',
    name: 'Default',
    words: 'a value for when nothing comes',
    step: { kind: 'default', value: '' },
  },
]

/** What decides which way a run goes, and when. */
export const WAYS: readonly FreeStep[] = [
  {
    kind: 'branch',
    name: 'Branch',
    words: 'one way or the other, by a value',
    step: { kind: 'branch', condition: { is: 'there' } },
  },
  {
    kind: 'first',
    name: 'First of',
    words: 'where branches join: the first that comes',
    step: { kind: 'first', count: 2 },
  },
  {
    kind: 'approval',
    name: 'Approval',
    words: 'a person looks at it first',
    step: { kind: 'approval', question: 'Go on?' },
  },
  {
    kind: 'wait',
    name: 'Wait',
    words: 'for some time, or until a time',
    step: { kind: 'wait', seconds: 60 },
  },
]
