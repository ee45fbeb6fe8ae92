import type { Step } from '@farebox/flows/document/flow'
import { MAX_ADAPTER_PORTS, MAX_WAIT_SECONDS } from '@farebox/flows/internal/document/flow-limits'
import type { ReactNode } from 'react'
import { useEditor } from '../editor/use-editor.ts'
import { ConditionSetting } from './condition-setting.tsx'
import { PickSetting } from './pick-setting.tsx'
import { RenameSetting } from './rename-setting.tsx'
import { SeparatorSetting, SplitSettings } from './separator-setting.tsx'
import { ChoiceSetting, NumberSetting, TextSetting, ValueSetting } from './setting-fields.tsx'

/** The settings of a free step, by its kind. */
export function StepSettings({ id, step }: { readonly id: string; readonly step: Step }): ReactNode {
  const { store } = useEditor()
  const change = (changed: Step): void =>
    store.edit([{ edit: 'replace-step', id, step: changed }], { join: `settings of ${id}` })
  switch (step.kind) {
    case 'job':
    case 'to-number':
      return null
    case 'template':
    case 'approval':
      return <WordsSetting step={step} change={change} />
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
      return <SplitSettings step={step} change={change} />
    case 'constant':
    case 'default':
      return (
        <ValueSetting
          label={step.kind === 'constant' ? 'Value' : 'Value to use when none is provided'}
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
    case 'wait':
      return <WaitSetting step={step} change={change} />
  }
}

interface ChangedStep<Kind extends Step['kind']> {
  readonly step: Extract<Step, { readonly kind: Kind }>
  readonly change: (step: Step) => void
}

/** The text of a template, or the question of an approval. */
function WordsSetting({ step, change }: ChangedStep<'template' | 'approval'>): ReactNode {
  return step.kind === 'template' ? (
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
  ) : (
    <TextSetting
      label="Question"
      value={step.question}
      most={1_024}
      isLong
      onChange={question => change({ ...step, question })}
    />
  )
}

function WaitSetting({ step, change }: ChangedStep<'wait'>): ReactNode {
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
