import type { SplitStep, Step } from '@farebox/flows/document/flow'
import { MAX_SPLIT_ITEMS } from '@farebox/flows/internal/document/flow-limits'
import type { ReactNode } from 'react'
import { ChoiceSetting, NumberSetting, TextSetting } from './setting-fields.tsx'

/** The text between the items of a list: a common one chosen by its name, or other characters. */
export function SeparatorSetting(props: {
  readonly label: string
  readonly value: string
  readonly isEmptyFine?: boolean
  readonly onChange: (separator: string) => void
}): ReactNode {
  const { label, value, isEmptyFine = false, onChange } = props
  const choices = isEmptyFine ? [...SEPARATORS, ['', 'nothing'] as const] : SEPARATORS
  const isKnown = choices.some(([separator]) => separator === value)
  return (
    <>
      <ChoiceSetting
        label={label}
        value={isKnown ? value : 'other'}
        choices={[...choices, ['other', 'something else']]}
        onChange={chosen => onChange(chosen === 'other' ? ' · ' : chosen)}
      />
      {!isKnown && value !== '' && (
        <TextSetting label="Characters" value={value} most={100} isMono onChange={onChange} />
      )}
    </>
  )
}

const SEPARATORS: readonly (readonly [string, string])[] = [
  ['\n', 'a line break'],
  ['\n\n', 'an empty line'],
  [', ', 'a comma and a space'],
  [',', 'a comma'],
  [' ', 'a space'],
]

/** The separator at which a text is split, and the most items that result. */
export function SplitSettings(props: {
  readonly step: SplitStep
  readonly change: (step: Step) => void
}): ReactNode {
  const { step, change } = props
  return (
    <>
      <SeparatorSetting
        label="Split at"
        value={step.separator}
        onChange={separator => change({ ...step, separator })}
      />
      <NumberSetting
        label="Maximum items"
        value={step.most}
        least={1}
        most={MAX_SPLIT_ITEMS}
        onChange={most => change({ ...step, most })}
      />
    </>
  )
}
