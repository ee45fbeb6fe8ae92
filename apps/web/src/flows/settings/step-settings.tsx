import type { Condition, Step } from '@farebox/flows/document/flow'
import {
  MAX_ADAPTER_PORTS,
  MAX_SPLIT_ITEMS,
  MAX_WAIT_SECONDS,
} from '@farebox/flows/internal/document/flow-limits'
import type { ReactNode } from 'react'
import { ChoiceSetting, NumberSetting, TextSetting, ValueSetting } from './setting-fields.tsx'
import { PickSetting } from './pick-setting.tsx'
import { RenameSetting } from './rename-setting.tsx'
import { useEditor } from '../editor/use-editor.ts'

/** What a step without a price does: the settings of its kind. */
export function StepSettings({ id, step }: { readonly id: string; readonly step: Step }): ReactNode {
  const { store } = useEditor()
  const change = (changed: Step): void =>
    store.edit([{ edit: 'replace-step', id, step: changed }], { join: `settings of ${id}` })
  switch (step.kind) {
    case 'job':
    case 'to-number':
      return null
    case 'template':
      return (
        <TextSetting
          label="Text"
          value={step.text}
          most={20_000}
          isEmptyFine
          isLong
          isMono
          hint="{name} inserts an input. Use {{ and }} for literal braces."
          onChange={text => change({ ...step, text })}
        />
      )
    case 'pick':
      return <PickSetting id={id} step={step} change={change} />
    case 'rename':
      return <RenameSetting id={id} step={step} change={change} />
    case 'join':
      return (
        <SeparatorSetting
          label="Separator"
          value={step.separator}
          isEmptyFine
          onChange={separator => change({ ...step, separator })}
        />
      )
    case 'split':
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
    case 'constant':
      return <ValueSetting label="Value" value={step.value} onChange={value => change({ ...step, value })} />
    case 'default':
      return (
        <ValueSetting
          label="Value to use when none is provided"
          value={step.value}
          onChange={value => change({ ...step, value })}
        />
      )
    case 'first':
      return (
        <NumberSetting
          label="Inputs"
          value={step.count}
          least={2}
          most={MAX_ADAPTER_PORTS}
          onChange={count => change({ ...step, count })}
        />
      )
    case 'branch':
      return (
        <ConditionSetting condition={step.condition} onChange={condition => change({ ...step, condition })} />
      )
    case 'approval':
      return (
        <TextSetting
          label="Question"
          value={step.question}
          most={1_024}
          isLong
          onChange={question => change({ ...step, question })}
        />
      )
    case 'wait':
      return <WaitSetting step={step} change={change} />
  }
}

function SeparatorSetting(props: {
  readonly label: string
  readonly value: string
  readonly isEmptyFine?: boolean
  readonly onChange: (separator: string) => void
}): ReactNode {
  const { label, value, isEmptyFine = false, onChange } = props
  const known = SEPARATORS.find(([separator]) => separator === value)
  return (
    <>
      <ChoiceSetting
        label={label}
        value={known === undefined ? 'other' : value}
        choices={[
          ...SEPARATORS,
          ...(isEmptyFine ? ([['', 'nothing']] as const) : []),
          ['other', 'something else'],
        ]}
        onChange={chosen => onChange(chosen === 'other' ? ' · ' : chosen)}
      />
      {known === undefined && value !== '' && (
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

const CONDITIONS: readonly (readonly [Condition['is'], string])[] = [
  ['there', 'there is a value'],
  ['equal-to', 'it is'],
  ['containing', 'it contains'],
  ['less-than', 'it is less than'],
  ['at-most', 'it is at most'],
  ['greater-than', 'it is more than'],
  ['at-least', 'it is at least'],
]

function ConditionSetting(props: {
  readonly condition: Condition
  readonly onChange: (condition: Condition) => void
}): ReactNode {
  const { condition, onChange } = props
  const choose = (is: Condition['is']): void => {
    const value = 'value' in condition ? condition.value : ''
    switch (is) {
      case 'there':
        return onChange({ is })
      case 'equal-to':
        return onChange({ is, value })
      case 'containing':
        return onChange({ is, value: isScalar(value) ? value : '' })
      default:
        return onChange({ is, value: typeof value === 'number' ? value : 0 })
    }
  }
  return (
    <>
      <ChoiceSetting
        label="Take the “then” branch if"
        value={condition.is}
        choices={CONDITIONS}
        onChange={choose}
      />
      {condition.is === 'equal-to' && (
        <ValueSetting
          label="Value"
          value={condition.value}
          onChange={value => onChange({ ...condition, value })}
        />
      )}
      {condition.is === 'containing' && (
        <ValueSetting
          label="Value"
          value={condition.value}
          onChange={value =>
            onChange({ ...condition, value: isScalar(value) ? value : JSON.stringify(value) })
          }
        />
      )}
      {condition.is !== 'there' && condition.is !== 'equal-to' && condition.is !== 'containing' && (
        <NumberSetting
          label="Number"
          value={condition.value}
          least={-Infinity}
          most={Infinity}
          isWhole={false}
          onChange={value => onChange({ ...condition, value })}
        />
      )}
    </>
  )
}

function WaitSetting(props: {
  readonly step: Extract<Step, { readonly kind: 'wait' }>
  readonly change: (step: Step) => void
}): ReactNode {
  const { step, change } = props
  const { seconds, ...rest } = step
  return (
    <>
      <ChoiceSetting
        label="Duration"
        value={seconds === undefined ? 'until' : 'for'}
        choices={[
          ['for', 'for a number of seconds'],
          ['until', 'until the time given in “until”'],
        ]}
        onChange={chosen => change(chosen === 'for' ? { ...rest, seconds: 60 } : rest)}
      />
      {seconds !== undefined && (
        <NumberSetting
          label="Seconds"
          value={seconds}
          least={1}
          most={MAX_WAIT_SECONDS}
          onChange={changed => change({ ...rest, seconds: changed })}
        />
      )}
    </>
  )
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
