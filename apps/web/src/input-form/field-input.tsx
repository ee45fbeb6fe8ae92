import type { Field, FieldMap, JsonObject, JsonValue } from '@farebox/protocol/fields/field'
import { plainRefusal } from '../format/plain-refusal.ts'
import { useId, useState, type ReactNode } from 'react'
import { chooseControl } from '../fields/choose-control.ts'
import { describeRule } from '../fields/describe-rule.ts'
import { FieldName } from '../fields/field-name.tsx'
import { EmptyChoice } from './empty-choice.tsx'
import { EntriesInput } from './entries-input.tsx'
import {
  asObject,
  asText,
  choicesOf,
  countRule,
  describe,
  entryAt,
  filled,
  placeholderOf,
  refusalAt,
  withField,
  writePath,
  type Path,
  type Value,
} from './field-values.ts'
import { ChoiceInput, JsonInput, LineInput, NumberInput } from './leaf-controls.tsx'

/** What a field's row needs of the form around it. */
export interface FormContext {
  /** The field that is refused, as the check names it, and why. */
  readonly refusal: { readonly field: string; readonly reason: string } | undefined
  /** A field was left: time to check what is in it. */
  readonly onLeave: () => void
  readonly isHeld: boolean
}

interface Props {
  readonly name: string
  readonly field: Field
  readonly path: Path
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly form: FormContext
}

/** One field, one row: its type, name and rule; its control; its description, or why it is refused. */
function FieldInput(props: Props): ReactNode {
  const { name, field, path, value, form } = props
  const id = useId()
  const [isHalfDate, setHalfDate] = useState(false)
  const control = chooseControl(field, path.length)
  const refusal =
    isHalfDate && value === undefined
      ? { field: writePath(path), reason: 'must be a complete date, or empty' }
      : refusalAt(form.refusal, path, control)
  const isWhole =
    control === 'line' ||
    control === 'area' ||
    control === 'list' ||
    control === 'number' ||
    control === 'json'
  const label = (
    <>
      <FieldName name={name} field={field} />
      {field.required === true && <span className="faint small">required</span>}
      <span className="end num">
        {control === 'area' || control === 'line' ? countRule(field, value) : describeRule(field)}
      </span>
    </>
  )
  return (
    <div
      className="field"
      role={isWhole ? undefined : 'group'}
      aria-labelledby={isWhole ? undefined : `${id}-label`}
    >
      {isWhole ? (
        <label className="label" id={`${id}-label`} htmlFor={id}>
          {label}
        </label>
      ) : (
        <span className="label" id={`${id}-label`}>
          {label}
        </span>
      )}
      <Control {...props} id={id} refusedField={refusal?.field} onHalfDate={setHalfDate} />
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
      {refusal === undefined && describe(field) !== '' && (
        <p className="hint" id={`${id}-hint`}>
          <bdi>{describe(field)}</bdi>
        </p>
      )}
    </div>
  )
}

interface ControlProps extends Props {
  readonly id: string
  /** The field that is refused, where it is this one or within it. */
  readonly refusedField: string | undefined
  readonly onHalfDate: (isHalf: boolean) => void
}

function Control(props: ControlProps): ReactNode {
  const { field, path, value, onChange, form, id, refusedField } = props
  const common = {
    id,
    'aria-invalid': refusedField !== undefined,
    'aria-describedby': `${id}-hint`,
    'aria-required': field.required === true,
    onBlur: form.onLeave,
    disabled: form.isHeld,
  } as const
  const placeholder = placeholderOf(field)
  const choice = { field, value, onChange, isHeld: form.isHeld, labelledBy: `${id}-label` }
  const leaf = { name: props.name, field, value, onChange, isHeld: form.isHeld, common }
  switch (chooseControl(field, path.length)) {
    case 'line':
      return <LineInput {...leaf} placeholder={placeholder} onHalfDate={props.onHalfDate} />
    case 'area':
      return (
        <textarea
          {...common}
          className="input"
          rows={4}
          placeholder={placeholder}
          value={asText(value)}
          onChange={event => onChange(filled(event.target.value))}
        />
      )
    case 'number':
      return <NumberInput {...leaf} placeholder={placeholder} />
    case 'choice':
      return <ChoiceInput {...choice} choices={choicesOf(field)} />
    case 'list':
      return (
        <select
          {...common}
          className="input"
          value={value === undefined ? '' : JSON.stringify(value)}
          onChange={event =>
            onChange(event.target.value === '' ? undefined : (JSON.parse(event.target.value) as JsonValue))
          }
        >
          <option value="">
            {field.default === undefined ? 'Choose' : `Default: ${String(field.default)}`}
          </option>
          {choicesOf(field).map(([one, words]) => (
            <option key={words} value={JSON.stringify(one)}>
              {words}
            </option>
          ))}
        </select>
      )
    case 'truth':
      return (
        <ChoiceInput
          {...choice}
          choices={[
            [true, 'Yes'],
            [false, 'No'],
          ]}
        />
      )
    case 'lines':
      return (
        <EntriesInput
          name={props.name}
          items={field.items ?? { type: 'string' }}
          value={value}
          onChange={onChange}
          isHeld={form.isHeld}
          placeholder={placeholder === '' ? 'First entry' : placeholder}
          refusedAt={refusedField === undefined ? undefined : entryAt(refusedField, path)}
          isRefused={refusedField !== undefined}
          onBlur={form.onLeave}
          describedBy={`${id}-hint`}
        />
      )
    case 'group':
      return (
        <div className="inside">
          <FieldInputs
            fields={field.properties ?? {}}
            path={path}
            value={asObject(value)}
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

/** The fields of an object, in declared order. */
export function FieldInputs(props: {
  readonly fields: FieldMap
  readonly path: Path
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

/** Objects with few fields: one row each. */
function Rows(props: Props): ReactNode {
  const { name, field, path, value, onChange, form } = props
  const rows = Array.isArray(value) ? value : []
  const change = (changed: readonly JsonValue[]): void => onChange([...changed])
  return (
    <div className="inside">
      {rows.map((row, index) => (
        // Rows have no names of their own: they are what they are at their place.
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
            value={asObject(row)}
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
