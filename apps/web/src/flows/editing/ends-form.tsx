import { FLOW_OUTPUT } from '@farebox/flows/document/flow'
import type { Field, FieldType } from '@farebox/protocol/fields/field'
import { useState, type ReactNode } from 'react'
import { freeName } from '@farebox/flows/internal/document/free-name'
import type { Edit } from '@farebox/flows/internal/edit/edit'
import { InputLine } from './input-line.tsx'
import { PortShape } from './port-shape.tsx'
import { ChoiceSetting, TextSetting } from '../settings/setting-fields.tsx'
import { useEditor, useFlowState } from '../editor/use-editor.ts'

/** The inputs of the flow, or its outputs, with controls to add, change and remove them. */
export function EndsForm({ side }: { readonly side: 'input' | 'output' }): ReactNode {
  return (
    <div className="step-form">
      <h2>{side === 'input' ? 'Flow inputs' : 'Flow outputs'}</h2>
      {side === 'input' ? <FlowInputs /> : <FlowOutputs />}
    </div>
  )
}

/** The inputs of a run. */
export function FlowInputs(): ReactNode {
  const { store } = useEditor()
  const inputs = useFlowState(({ flow }) => flow.inputs)
  const names = Object.keys(inputs)
  return (
    <EndList
      names={names}
      of={FlowInput}
      add={() =>
        store.edit([
          {
            edit: 'set-input',
            name: freeName(names, 'text'),
            field: { type: 'string', required: true },
          },
        ])
      }
    >
      Add an input
    </EndList>
  )
}

/** The outputs of a run. Each takes its value from one output of a step. */
export function FlowOutputs(): ReactNode {
  const { store } = useEditor()
  const outputs = useFlowState(({ flow }) => flow.outputs)
  return (
    <EndList
      names={outputs}
      of={FlowOutput}
      add={() => store.edit([{ edit: 'add-output', name: freeName(outputs, 'result') }])}
    >
      Add an output
    </EndList>
  )
}

interface EndProps {
  readonly name: string
  readonly index: number
  /** Whether it was added last; it is then opened for naming. */
  readonly isNew: boolean
}

/** A list of inputs or outputs, with a button that adds one. */
function EndList(props: {
  readonly names: readonly string[]
  readonly of: (props: EndProps) => ReactNode
  readonly add: () => void
  readonly children: ReactNode
}): ReactNode {
  const { names, of: End, add, children } = props
  const [added, setAdded] = useState<number>()
  return (
    <>
      <ul className="ends">
        {names.map((name, index) => (
          // The key is the index, because the name changes with each typed letter.
          // oxlint-disable-next-line react/no-array-index-key
          <End key={index} name={name} index={index} isNew={index === added} />
        ))}
      </ul>
      <p className="above">
        <button
          type="button"
          className="button low"
          onClick={() => {
            setAdded(names.length)
            add()
          }}
        >
          {children}
        </button>
      </p>
    </>
  )
}

const TYPES: readonly (readonly [FieldType, string])[] = [
  ['string', 'text'],
  ['number', 'number'],
  ['integer', 'whole number'],
  ['boolean', 'yes or no'],
  ['array', 'list'],
  ['object', 'object'],
]

const TYPE_WORDS = Object.fromEntries(TYPES) as { readonly [type in FieldType]: string }

function FlowInput({ name, index, isNew }: EndProps): ReactNode {
  const field = useFlowState(({ flow: { inputs } }) =>
    Object.hasOwn(inputs, name) ? inputs[name] : undefined,
  )
  if (field === undefined) return null
  return (
    <li>
      <details open={isNew}>
        <summary>
          <PortShape type={field.type} />
          <b>
            <bdi>{name}</bdi>
          </b>
          <span className="quiet">
            {TYPE_WORDS[field.type]}
            {field.required === true ? ', required' : ''}
          </span>
        </summary>
        <FieldForm name={name} field={field} index={index} />
      </details>
    </li>
  )
}

/** The field of an input: its name, type and description, and whether it is required. */
function FieldForm(props: {
  readonly name: string
  readonly field: Field
  readonly index: number
}): ReactNode {
  const { name, field, index } = props
  const { store } = useEditor()
  const [isRefused, setRefused] = useState(false)
  const put = (changed: Field): void =>
    store.edit([{ edit: 'set-input', name, field: changed }], { join: `input ${name}` })
  const rename = (to: string): void => {
    const isTaken = Object.hasOwn(store.state().flow.inputs, to) || /^(?:0|[1-9]\d*|__proto__)$/.test(to)
    setRefused(isTaken && to !== name)
    if (!isTaken) store.edit([{ edit: 'rename-input', name, to }], { join: `name of input ${index}` })
  }
  return (
    <>
      <div className="pair">
        <TextSetting label="Name" value={name} most={256} onChange={rename} />
        <ChoiceSetting
          label="Type"
          value={field.type}
          choices={TYPES}
          onChange={type => put({ type, required: field.required ?? false })}
        />
      </div>
      {isRefused && <p className="hint bad">That name is already taken or is not valid.</p>}
      <TextSetting
        label="Description for the person who runs the flow"
        value={field.description ?? ''}
        most={280}
        isEmptyFine
        onChange={description => {
          const { description: _, ...rest } = field
          put(description === '' ? rest : { ...rest, description })
        }}
      />
      <p className="row">
        <label className="check-row">
          <input
            type="checkbox"
            checked={field.required === true}
            onChange={({ target }) => put({ ...field, required: target.checked })}
          />
          required
        </label>
        <RemoveButton name={name} edit={{ edit: 'remove-input', name }} />
      </p>
    </>
  )
}

function FlowOutput({ name, index, isNew }: EndProps): ReactNode {
  const { store } = useEditor()
  const rename = (to: string): void => {
    if (store.state().flow.outputs.includes(to)) return
    store.edit([{ edit: 'rename-output', name, to }], { join: `name of output ${index}` })
  }
  return (
    <li>
      <dl className="feeds">
        <InputLine to={{ step: FLOW_OUTPUT, port: name }} />
      </dl>
      <details open={isNew}>
        <summary>
          <span className="quiet">Rename or remove</span>
          <span className="unseen"> {name}</span>
        </summary>
        <TextSetting label="Name" value={name} most={256} onChange={rename} />
        <p>
          <RemoveButton name={name} edit={{ edit: 'remove-output', name }} />
        </p>
      </details>
    </li>
  )
}

function RemoveButton({ name, edit }: { readonly name: string; readonly edit: Edit }): ReactNode {
  const { store } = useEditor()
  return (
    <button type="button" className="link small" onClick={() => store.edit([edit])}>
      Remove<span className="unseen"> {name}</span>
    </button>
  )
}
