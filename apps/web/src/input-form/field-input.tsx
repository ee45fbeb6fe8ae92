import type { Violation } from '@farebox/protocol/fields/compile'
import type { Field, FieldMap, JsonObject, JsonValue } from '@farebox/protocol/fields/field'
import { useId, useState, type ReactNode } from 'react'
import { chooseControl, type Control } from '../fields/choose-control.ts'
import { describeRule } from '../fields/describe-rule.ts'
import { FieldName } from '../fields/field-name.tsx'
import { plainRefusal } from '../format/plain-refusal.ts'
import { EmptyChoice } from './empty-choice.tsx'
import { EntriesInput } from './entries-input.tsx'
import {
  fieldsOf,
  choicesOf,
  countRule,
  fieldHelp,
  entryAt,
  placeholderOf,
  refusalAt,
  withField,
  writeFieldPath,
  type FieldPath,
  type Value,
} from './field-values.ts'
import { AreaInput, ChoiceInput, JsonInput, LineInput, ListInput, NumberInput } from './leaf-controls.tsx'

/** The state of the form that its fields need. */
export interface FormContext {
  /** The refused field, with the reason. */
  readonly refusal: Violation | undefined
  /** Called when the focus leaves a field, whose value can then be checked. */
  readonly onLeave: () => void
  readonly isHeld: boolean
}

interface Props {
  readonly name: string
  readonly field: Field
  readonly path: FieldPath
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly form: FormContext
}

/** One field in a row: its type, name and rule; its control; its description, or the reason for a refusal. */
function FieldInput(props: Props): ReactNode {
  const { field, path, value, form } = props
  const id = useId()
  const [isHalfDate, setHalfDate] = useState(false)
  const control = chooseControl(field, path.length)
  const refusal =
    isHalfDate && value === undefined
      ? { field: writeFieldPath(path), reason: 'must be a complete date, or empty' }
      : refusalAt(form.refusal, path, control)
  const isOne = ONE_CONTROL.includes(control)
  return (
    <div
      className="field"
      role={isOne ? undefined : 'group'}
      aria-labelledby={isOne ? undefined : `${id}-label`}
    >
      <FieldLabel {...props} id={id} control={control} isOne={isOne} />
      <FieldControl {...props} id={id} control={control} refusal={refusal} onHalfDate={setHalfDate} />
      {refusal !== undefined && (
        <p className="hint bad" id={`${id}-hint`}>
          <bdi>{refusal.field}</bdi>: {plainRefusal(refusal.reason)}
        </p>
      )}
      <EmptyChoice
        field={field}
        control={control}
        value={value}
        onChange={props.onChange}
        isHeld={form.isHeld}
        isRefused={refusal !== undefined}
      />
      {refusal === undefined && fieldHelp(field) !== '' && (
        <p className="hint" id={`${id}-hint`}>
          <bdi>{fieldHelp(field)}</bdi>
        </p>
      )}
    </div>
  )
}

/** The controls that consist of one native element, so that a `<label>` can name them. */
const ONE_CONTROL: readonly Control[] = ['line', 'area', 'list', 'number', 'json']

function FieldLabel(
  props: Props & { readonly id: string; readonly control: Control; readonly isOne: boolean },
): ReactNode {
  const { name, field, value, id, control, isOne } = props
  const words = (
    <>
      <FieldName name={name} field={field} />
      {field.required === true && <span className="faint small">required</span>}
      <span className="end num">
        {control === 'area' || control === 'line' ? countRule(field, value) : describeRule(field)}
      </span>
    </>
  )
  return isOne ? (
    <label className="label" id={`${id}-label`} htmlFor={id}>
      {words}
    </label>
  ) : (
    <span className="label" id={`${id}-label`}>
      {words}
    </span>
  )
}

interface ControlProps extends Props {
  readonly id: string
  readonly control: Control
  /** The refusal of this field, or of a value within it. */
  readonly refusal: Violation | undefined
  readonly onHalfDate: (isHalf: boolean) => void
}

function FieldControl(props: ControlProps): ReactNode {
  const { name, field, path, value, onChange, form, id, refusal } = props
  const common = {
    id,
    'aria-invalid': refusal !== undefined,
    'aria-describedby': `${id}-hint`,
    'aria-required': field.required === true,
    onBlur: form.onLeave,
    disabled: form.isHeld,
  } as const
  const placeholder = placeholderOf(field)
  const choice = { field, value, onChange, isHeld: form.isHeld, labelledBy: `${id}-label` }
  const leaf = { name, field, value, onChange, isHeld: form.isHeld, common }
  switch (props.control) {
    case 'line':
      return <LineInput {...leaf} placeholder={placeholder} onHalfDate={props.onHalfDate} />
    case 'area':
      return <AreaInput {...leaf} placeholder={placeholder} />
    case 'number':
      return <NumberInput {...leaf} placeholder={placeholder} />
    case 'choice':
      return <ChoiceInput {...choice} choices={choicesOf(field)} />
    case 'list':
      return <ListInput {...leaf} choices={choicesOf(field)} />
    case 'truth':
      return <ChoiceInput {...choice} choices={YES_NO} />
    case 'lines':
      return <Entries {...props} placeholder={placeholder} />
    case 'group':
      return (
        <div className="inside">
          <FieldInputs
            fields={field.properties ?? {}}
            path={path}
            value={fieldsOf(value)}
            onChange={onChange}
            form={form}
          />
        </div>
      )
    case 'rows':
      return <Rows {...props} />
    case 'json':
      return <JsonInput {...leaf} />
  }
}

const YES_NO = [
  [true, 'Yes'],
  [false, 'No'],
] as const

function Entries(props: ControlProps & { readonly placeholder: string }): ReactNode {
  const { name, field, path, value, onChange, form, id, refusal, placeholder } = props
  return (
    <EntriesInput
      name={name}
      items={field.items ?? { type: 'string' }}
      value={value}
      onChange={onChange}
      isHeld={form.isHeld}
      placeholder={placeholder === '' ? 'First entry' : placeholder}
      refusedAt={refusal === undefined ? undefined : entryAt(refusal.field, path)}
      isRefused={refusal !== undefined}
      onBlur={form.onLeave}
      describedBy={`${id}-hint`}
    />
  )
}

/** The fields of an object, in declared order. */
export function FieldInputs(props: {
  readonly fields: FieldMap
  readonly path: FieldPath
  readonly value: JsonObject
  readonly onChange: (value: JsonObject) => void
  readonly form: FormContext
}): ReactNode {
  const { fields, path, value, onChange, form } = props
  const entries = Object.entries(fields)
  const isFolded = path.length === 0 && entries.length > MOST_AT_ONCE
  const first = isFolded ? entries.filter(([, field]) => field.required === true) : entries
  const rest = isFolded ? entries.filter(([, field]) => field.required !== true) : []
  const row = ([name, field]: (typeof entries)[number]): ReactNode => (
    <FieldInput
      key={name}
      name={name}
      field={field}
      path={[...path, name]}
      value={Object.hasOwn(value, name) ? value[name] : undefined}
      onChange={changed => onChange(withField(value, name, changed))}
      form={form}
    />
  )
  return (
    <>
      {first.map(row)}
      {rest.length > 0 && (
        <details className="field">
          <summary>{rest.length} more fields</summary>
          {rest.map(row)}
        </details>
      )}
    </>
  )
}

const MOST_AT_ONCE = 12

/** A list of objects with few fields, with one row for each. */
function Rows(props: Props): ReactNode {
  const { name, field, path, value, onChange, form } = props
  const rows = Array.isArray(value) ? value : []
  const change = (changed: readonly JsonValue[]): void => onChange([...changed])
  return (
    <div className="inside">
      {rows.map((row, index) => (
        // Rows have no ids, so the key is the position.
        // oxlint-disable-next-line react/no-array-index-key
        <fieldset key={index} className="entry-row">
          <legend className="small quiet">
            {name} {index + 1}{' '}
            <button
              type="button"
              className="link"
              disabled={form.isHeld}
              onClick={() => change(rows.filter((_, at) => at !== index))}
            >
              Remove
            </button>
          </legend>
          <FieldInputs
            fields={field.items?.properties ?? {}}
            path={[...path, index]}
            value={fieldsOf(row)}
            onChange={changed => change(rows.map((one, at) => (at === index ? changed : one)))}
            form={form}
          />
        </fieldset>
      ))}
      <p>
        <button
          type="button"
          className="button low"
          disabled={form.isHeld}
          onClick={() => change([...rows, {}])}
        >
          Add {rows.length === 0 ? 'the first' : 'another'}
        </button>
      </p>
    </div>
  )
}
