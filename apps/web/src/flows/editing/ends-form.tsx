import { FLOW_OUTPUT, type PortRef } from '@farebox/flows/document/flow'
import type { Field, FieldType } from '@farebox/protocol/fields/field'
import { useState, type ReactNode } from 'react'
import { freeName } from '@farebox/flows/internal/document/free-name'
import { InputLine } from './input-line.tsx'
import { PortShape } from './port-shape.tsx'
import { ChoiceSetting, TextSetting } from '../settings/setting-fields.tsx'
import { useEditor, useFlowState } from '../editor/use-editor.ts'

/** What the flow takes, or what it gives. */
export function EndsForm({ side }: { readonly side: 'input' | 'output' }): ReactNode {
  return (
    <div className="step-form">
      <h2>{side === 'input' ? 'Flow inputs' : 'Flow outputs'}</h2>
      {side === 'input' ? <FlowInputs /> : <FlowOutputs />}
    </div>
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

const NAMES = Object.fromEntries(TYPES) as { readonly [type in FieldType]: string }

/** What a run is given. */
export function FlowInputs(): ReactNode {
  const { store } = useEditor()
  const inputs = useFlowState(({ flow }) => flow.inputs)
  /** The one that was added last, to be named. */
  const [added, setAdded] = useState<number>()
  return (
    <>
      <ul className="ends">
        {Object.entries(inputs).map(([name, field], index) => (
          // Its name is what is typed into it.
          // oxlint-disable-next-line react/no-array-index-key
          <FlowInput key={index} name={name} field={field} index={index} isNew={index === added} />
        ))}
      </ul>
      <p>
        <button
          type="button"
          className="button low"
          onClick={() => {
            setAdded(Object.keys(inputs).length)
            store.edit([
              {
                edit: 'set-input',
                name: freeName(Object.keys(inputs), 'text'),
                field: { type: 'string', required: true },
              },
            ])
          }}
        >
          Add an input
        </button>
      </p>
    </>
  )
}

function FlowInput(props: {
  readonly name: string
  readonly field: Field
  readonly index: number
  /** Opened to be named. */
  readonly isNew: boolean
}): ReactNode {
  const { name, field, index, isNew } = props
  const { store } = useEditor()
  const [refused, setRefused] = useState(false)
  const put = (changed: Field): void =>
    store.edit([{ edit: 'set-input', name, field: changed }], { join: `input ${name}` })
  const rename = (to: string): void => {
    const { flow } = store.state()
    const isTaken = Object.hasOwn(flow.inputs, to) || /^(?:0|[1-9]\d*|__proto__)$/.test(to)
    setRefused(isTaken && to !== name)
    if (!isTaken) store.edit([{ edit: 'rename-input', name, to }], { join: `name of input ${index}` })
  }
  return (
    <li>
      <details open={isNew}>
        <summary>
          <PortShape type={field.type} />
          <b>
            <bdi>{name}</bdi>
          </b>
          <span className="quiet">
            {NAMES[field.type]}
            {field.required === true ? ', required' : ''}
          </span>
        </summary>
        <div className="pair">
          <TextSetting label="Name" value={name} most={256} onChange={rename} />
          <ChoiceSetting
            label="Type"
            value={field.type}
            choices={TYPES}
            onChange={type => put({ type, required: field.required ?? false })}
          />
        </div>
        {refused && <p className="hint bad">That name is already taken or is not valid.</p>}
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
          <button
            type="button"
            className="link small"
            onClick={() => store.edit([{ edit: 'remove-input', name }])}
          >
            Remove<span className="unseen"> {name}</span>
          </button>
        </p>
      </details>
    </li>
  )
}

/** What a run gives: each is fed by one output of a step. */
export function FlowOutputs(): ReactNode {
  const { store } = useEditor()
  const outputs = useFlowState(({ flow }) => flow.outputs)
  /** The one that was added last, to be named. */
  const [added, setAdded] = useState<number>()
  return (
    <>
      <ul className="ends">
        {outputs.map((name, index) => (
          // Its name is what is typed into it.
          // oxlint-disable-next-line react/no-array-index-key
          <FlowOutput key={index} name={name} index={index} isNew={index === added} />
        ))}
      </ul>
      <p>
        <button
          type="button"
          className="button low"
          onClick={() => {
            setAdded(outputs.length)
            store.edit([{ edit: 'add-output', name: freeName(outputs, 'result') }])
          }}
        >
          Add an output
        </button>
      </p>
    </>
  )
}

function FlowOutput(props: {
  readonly name: string
  readonly index: number
  /** Opened to be named. */
  readonly isNew: boolean
}): ReactNode {
  const { name, index, isNew } = props
  const { store } = useEditor()
  const to: PortRef = { step: FLOW_OUTPUT, port: name }
  const rename = (other: string): void => {
    if (store.state().flow.outputs.includes(other)) return
    store.edit([{ edit: 'rename-output', name, to: other }], { join: `name of output ${index}` })
  }
  return (
    <li>
      <dl className="feeds">
        <InputLine to={to} />
      </dl>
      <details open={isNew}>
        <summary>
          <span className="quiet">Rename or remove</span>
          <span className="unseen"> {name}</span>
        </summary>
        <TextSetting label="Name" value={name} most={256} onChange={rename} />
        <p>
          <button
            type="button"
            className="link small"
            onClick={() => store.edit([{ edit: 'remove-output', name }])}
          >
            Remove<span className="unseen"> {name}</span>
          </button>
        </p>
      </details>
    </li>
  )
}
